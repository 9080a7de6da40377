// Builds the extension into dist/extension: the panel from the page's own components, the service worker, and what is static.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { bundledLicences, withDependencies } from "../scripts/bundled-licences.ts";
import pageConfig from "../ui/vite.config.ts";
import { boxFiles } from "./build-box.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const licences = bundledLicences(
  [...withDependencies("just-bash"), ...withDependencies("pyodide")],
  [here("../scripts/licences/cpython.txt")],
);

// eslint-disable-next-line import/no-default-export -- vite reads it
export default defineConfig({
  ...pageConfig,
  root: here("."),
  publicDir: here("static"),
  plugins: [boxFiles(licences.add), licences.main],
  worker: { ...pageConfig.worker, plugins: () => [licences.worker] },
  build: {
    ...pageConfig.build,
    outDir: here("../dist/extension"),
    modulePreload: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: {
        panel: here("panel.html"),
        offscreen: here("browser-gate/offscreen.html"),
        "service-worker": here("service-worker.ts"),
      },
      output: {
        entryFileNames: ({ name }) => (name === "service-worker" ? "[name].js" : "assets/[name]-[hash].js"),
        chunkFileNames: "assets/[name]-[hash].js",
      },
    },
  },
});
