// Writes the licences of the packages whose code is in a bundle into a file beside it: most of them ask for their text to go along.
// Invariant: a package without a licence ends the build.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

export const licencesFile = "licences.txt";

const modules = join(import.meta.dirname, "../node_modules");
const ownText = /^(?:licen[cs]e|copying)(?:\.(?:md|txt))?$/i;
const rule = "-".repeat(80);

/** Where these texts are, for packages that only name their licence. */
const standardTexts: Readonly<Record<string, string>> = {
  "Apache-2.0": "typescript/LICENSE",
  "MPL-2.0": "axe-core/LICENSE",
};

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: string | { readonly url: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

function packageFile(directory: string): PackageFile {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as PackageFile;
}

/** The directory of the package that a module belongs to; null for a module of the project or of the bundler. */
function packageOf(module: string): string | null {
  const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replace(/^\0/, ""));
  return found?.[1] ?? null;
}

export function licenceOf(directory: string): string {
  const { name, version, license = "", repository = "" } = packageFile(directory);
  const files = readdirSync(directory)
    .filter((file) => ownText.test(file))
    .map((file) => join(directory, file));
  const standard = standardTexts[license];
  if (files.length === 0 && standard === undefined)
    throw new Error(`${name} is in the bundle, and has no licence text`);
  const texts = (files.length === 0 ? [join(modules, standard ?? "")] : files).map((file) =>
    readFileSync(file, "utf8"),
  );
  const source = (typeof repository === "string" ? repository : repository.url).replace(/^git\+|\.git$/g, "");
  const head = [`${name} ${version}${license === "" ? "" : ` (${license})`}`, ...(source === "" ? [] : [source])];
  return [head.join("\n"), ...texts.map((text) => text.trim())].join("\n\n");
}

/** A package, by its name, and what it has bundled into itself: all that it depends on and that is installed. */
export function withDependencies(name: string): readonly string[] {
  const directory = join(modules, name);
  const below = Object.keys(packageFile(directory).dependencies ?? {}).map((one) => join(modules, one));
  return [directory, ...below.filter((one) => existsSync(join(one, "package.json")))];
}

interface Part {
  readonly type: "chunk" | "asset";
  readonly moduleIds?: readonly string[];
}

export interface BundledLicences {
  readonly main: Plugin;
  /** Workers are bundled by themselves, before the rest is written. */
  readonly worker: Plugin;
  /** For what another bundler has put in. */
  readonly add: (moduleIds: readonly string[]) => void;
}

/** `packages`: directories of packages of which files are copied, or code came bundled. `texts`: files with other licences. */
export function bundledLicences(packages: readonly string[] = [], texts: readonly string[] = []): BundledLicences {
  const found = new Set(packages);
  const add = (moduleIds: readonly string[]): void => {
    for (const directory of moduleIds.map(packageOf)) if (directory !== null) found.add(directory);
  };
  const collect = (bundle: Readonly<Record<string, Part>>): void => {
    for (const { type, moduleIds = [] } of Object.values(bundle)) if (type === "chunk") add(moduleIds);
  };
  return {
    add,
    worker: { name: "licences-of-worker", generateBundle: (_, bundle) => collect(bundle) },
    main: {
      name: "licences",
      generateBundle(_, bundle) {
        collect(bundle);
        // A version can be there twice.
        const own = [...new Set([...found].map(licenceOf))].toSorted();
        const all = [...own, ...texts.map((file) => readFileSync(file, "utf8").trim())];
        this.emitFile({ type: "asset", fileName: licencesFile, source: `${all.join(`\n\n${rule}\n\n`)}\n` });
      },
    },
  };
}
