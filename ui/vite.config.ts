// Builds the page into dist/ui, with files named by their content and nothing inline, which the page's policy forbids.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { bundledLicences } from "../scripts/bundled-licences.ts";

const licences = bundledLicences();
const here = fileURLToPath(new URL(".", import.meta.url));

// eslint-disable-next-line import/no-default-export -- vite reads it
export default defineConfig({
  root: here,
  base: "/",
  publicDir: "public",
  logLevel: "warn",
  plugins: [licences.main],
  // The highlighter's worker loads its languages one by one.
  worker: {
    format: "es",
    plugins: () => [licences.worker],
    rolldownOptions: {
      checks: { bundlerTimings: false }, // they look like a warning to whoever builds it
      output: { entryFileNames: "assets/[name]-[hash].js", chunkFileNames: "assets/[name]-[hash].js" },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/ui",
    emptyOutDir: true,
    target: "es2024",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: { index: `${here}index.html`, "service-worker": `${here}service-worker.ts` },
      output: {
        // A browser finds a newer service worker by its address, which stays the same.
        entryFileNames: ({ name }) => (name === "service-worker" ? "service-worker.js" : "assets/[name]-[hash].js"),
        chunkFileNames: "assets/[name]-[hash].js",
      },
    },
  },
});
