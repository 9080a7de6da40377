// Writes the licences of the packages whose code is in a bundle into a file beside it: most of them ask for their text to go along.
// Invariant: a package without a licence text ends the build.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

export const licencesFile = "licences.txt";

const ownText = /^(?:licen[cs]e|copying)(?:\.(?:md|txt))?$/i;
const rule = "-".repeat(80);

/** The directory of the package that a module belongs to; null for a module of the project or of the bundler. */
function packageOf(module: string): string | null {
  const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replace(/^\0/, ""));
  return found?.[1] ?? null;
}

export function licenceOf(directory: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const texts = readdirSync(directory).filter((file) => ownText.test(file));
  if (texts.length === 0) throw new Error(`${name} is in the bundle, and has no licence text`);
  const text = texts.map((file) => readFileSync(join(directory, file), "utf8").trim()).join("\n\n");
  return `${name} ${version}${license === undefined ? "" : ` (${license})`}\n\n${text}\n`;
}

interface Part {
  readonly type: "chunk" | "asset";
  readonly moduleIds?: readonly string[];
}

/**
 * Plugins for the bundle and for its workers, which are bundled by themselves before it is written. `copied`: directories of packages
 * whose files are put beside the bundle as they are.
 */
export function bundledLicences(copied: readonly string[] = []): { readonly main: Plugin; readonly worker: Plugin } {
  const packages = new Set(copied);
  const collect = (bundle: Readonly<Record<string, Part>>): void => {
    for (const { type, moduleIds = [] } of Object.values(bundle))
      if (type === "chunk") for (const one of moduleIds.map(packageOf)) if (one !== null) packages.add(one);
  };
  return {
    worker: { name: "licences-of-worker", generateBundle: (_, bundle) => collect(bundle) },
    main: {
      name: "licences",
      generateBundle(_, bundle) {
        collect(bundle);
        const texts = [...packages].map(licenceOf).toSorted();
        this.emitFile({ type: "asset", fileName: licencesFile, source: texts.join(`\n${rule}\n\n`) });
      },
    },
  };
}
