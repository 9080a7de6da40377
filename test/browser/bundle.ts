// src/browser.ts as a bundler makes one file of it for a browser: nothing of node is put in its place, and any import of it
// is an error.

import { builtinModules } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "../..");

export interface BrowserBundle {
  /** A script that leaves the library in the variable `sallyport`. */
  readonly code: string;
  /** Relative to the project. */
  readonly modules: readonly string[];
}

export async function bundleForBrowser(entry = join(root, "src/browser.ts"), minify = false): Promise<BrowserBundle> {
  const bundle = await rolldown({
    cwd: root,
    input: entry,
    platform: "browser",
    plugins: [
      {
        name: "no-node",
        resolveId(from, importer) {
          if (from.startsWith("node:") || builtinModules.includes(from)) throw new Error(`${importer} imports ${from}`);
          return null;
        },
      },
    ],
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: "iife", name: "sallyport", minify, codeSplitting: false });
  await bundle.close();
  const [chunk] = output;
  if (output.length !== 1 || chunk.imports.length > 0) throw new Error(`one file was wanted: ${chunk.imports.join()}`);
  return { code: chunk.code, modules: chunk.moduleIds.map((id) => id.slice(root.length + 1)) };
}
