// Bundles the command into dist/bundle/: a few files instead of hundreds, so that it starts quickly. Names and lines stay
// readable for stack traces. The library in dist/ stays as the compiler wrote it.
//
// What a module in `madeAtBuild` exports is worked out here, once, and stands in the bundle as plain data: working it
// out at each start would need every tool and the library of schemas. What a module in `loadedWhenCalled` exports are
// functions; it is loaded when the first of them is called, though the sources import it as any other.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, "dist", "bundle");
const madeAtBuild = ["src/cli/tool-descriptions.ts", "src/config/shapes.ts", "src/tools/programs/exec-shape.ts"];
const loadedWhenCalled = [
  "src/command/script/parse-script.ts",
  "src/config/amend.ts",
  "src/config/example.ts",
  "src/config/schema-check.ts",
  "src/config/worker.ts",
  "src/config/yaml-source.ts",
  "src/git/target/local/local.ts",
  "src/runtime/commit-author.ts",
  "src/runtime/git-reader.ts",
  "src/runtime/landing-git.ts",
  "src/runtime/remote-targets.ts",
  "src/runtime/worker-rules.ts",
  "src/tools/programs/exec-schema.ts",
];

/** What every command loads, what every command that makes calls loads, and the rest of `call`: one file each, because each
 * file costs time. */
const groups = [
  { name: "command", entry: "src/cli/main.ts", modules: new Set() },
  { name: "gate", entry: "src/cli/open-gate.ts", modules: new Set() },
  { name: "call", entry: "src/cli/call/call.ts", modules: new Set() },
];

const asGroups = {
  name: "groups",
  buildEnd() {
    for (const { entry, modules } of groups) {
      const todo = [join(root, entry)];
      for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
        if (modules.has(id)) continue;
        modules.add(id);
        todo.push(...(this.getModuleInfo(id)?.importedIds ?? []));
      }
    }
  },
};

const asData = {
  name: "made-at-build",
  async load(id) {
    if (!madeAtBuild.includes(relative(root, id))) return null;
    const values = Object.entries(await import(pathToFileURL(id).href));
    return values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`).join("");
  },
};

const nameOf = (path) => basename(path, ".ts");

/** The sources' import leads to functions that load the module itself, which is a file of its own. */
const whenCalled = {
  name: "loaded-when-called",
  async resolveId(source, importer, options) {
    if (importer === undefined) return null;
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
    return resolved !== null && loadedWhenCalled.includes(relative(root, resolved.id)) ? `${resolved.id}?called` : null;
  },
  async load(id) {
    if (!id.endsWith("?called")) return null;
    const file = id.slice(0, -"?called".length);
    const values = Object.entries(await import(pathToFileURL(file).href));
    const others = values
      .filter(([, value]) => typeof value !== "function" || /^class\b/.test(String(value)))
      .map(([name]) => name);
    if (others.length > 0) throw new Error(`${file} exports more than functions: ${others.join(", ")}`);
    const load = `require("called:${nameOf(file)}")`;
    return values.map(([name]) => `export const ${name} = (...given) => ${load}.${name}(...given);\n`).join("");
  },
};

/** Node reads a file of plain ASCII in half the time. An escape means the same in texts, templates and expressions. */
function asAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** Their licences ask that the text goes along with the code. */
function licenceTexts(moduleIds) {
  const packages = new Set(moduleIds.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]));
  packages.delete(undefined);
  return Array.from(packages)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((directory) => {
      const { name, version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
      const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? "" : readFileSync(join(directory, file), "utf8");
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

const bundle = await rolldown({
  cwd: root,
  input: {
    main: "src/cli/main.ts",
    ...Object.fromEntries(loadedWhenCalled.map((path) => [nameOf(path), path])),
  },
  platform: "node",
  external: /^called:/,
  // What node loads of this package hides its imports from a bundler.
  resolve: { alias: { "jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
  plugins: [whenCalled, asData, asGroups],
  onLog(level, log) {
    if (level === "warn") throw new Error(log.message);
  },
});
const { output: files } = await bundle.write({
  dir: output,
  cleanDir: true,
  // Node resolves and links each import of an ES module anew, and makes a facade for each module of its own that is
  // imported: that took a third of the start.
  format: "cjs",
  // Without a hash in the name: node's compile cache keeps one entry a path, so the next version replaces this one's.
  codeSplitting: {
    groups: groups.map(({ name, modules }, index) => ({
      name,
      test: (id) => modules.has(id) && !groups.slice(0, index).some((earlier) => earlier.modules.has(id)),
    })),
  },
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name].cjs",
  comments: { legal: false, annotation: false, jsdoc: false },
});
for (const { fileName } of files) {
  const code = readFileSync(join(output, fileName), "utf8");
  writeFileSync(join(output, fileName), asAscii(code.replace(/require\("called:([^"]+)"\)/g, 'require("./$1.cjs")')));
}
const moduleIds = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
writeFileSync(join(output, "LICENSES.txt"), licenceTexts(moduleIds));
if (!existsSync(join(output, "main.cjs"))) throw new Error("dist/bundle/main.cjs was not written");
