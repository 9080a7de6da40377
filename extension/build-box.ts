// Builds what is in the directory `box` of the extension: the page's script and a script for each interpreter's worker, each one classic
// script without imports (module scripts need an origin), and the files of Pyodide.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import type { Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const scripts = { page: "box/page.ts", bash: "box/bash-worker.ts", python: "box/python-worker.ts" };
const files = ["pyodide.asm.wasm", "python_stdlib.zip"];

/** `bundled` hears of every module that is in a script. */
export function boxFiles(bundled: (moduleIds: readonly string[]) => void): Plugin {
  return {
    name: "box-files",
    async generateBundle() {
      for (const [name, entry] of Object.entries(scripts))
        this.emitFile({ type: "asset", fileName: `box/${name}.js`, source: await bundleClassic(here(entry), bundled) });
      const { resolve } = createRequire(import.meta.url);
      for (const name of files)
        this.emitFile({ type: "asset", fileName: `box/${name}`, source: readFileSync(resolve(`pyodide/${name}`)) });
    },
  };
}

async function bundleClassic(input: string, bundled: (moduleIds: readonly string[]) => void): Promise<string> {
  const bundle = await rolldown({
    input,
    platform: "browser",
    resolve: { alias: { "node:zlib": here("box/no-zlib.ts") } },
    external: /^(?:node:(?!zlib)|ws$)/, // in branches that only node takes
    onLog(level, { id, message }) {
      // What Emscripten makes has branches for every place where it can run, and evaluates text in some.
      if (level === "warn" && !id?.includes("/pyodide/")) throw new Error(message);
    },
  });
  const { output } = await bundle.generate({ format: "iife", minify: true, codeSplitting: false });
  await bundle.close();
  if (output.length !== 1) throw new Error(`${input} became ${output.length} files`);
  bundled(output[0].moduleIds);
  return output[0].code;
}
