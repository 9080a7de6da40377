// The part of Pyodide that has no types of its own: what its compiler made.

declare module "pyodide/pyodide.asm.mjs" {
  import type { PyodideConfig } from "pyodide";

  const createPyodideModule: NonNullable<PyodideConfig["createPyodideModule"]>;
  // eslint-disable-next-line import/no-default-export -- that is how it is made
  export default createPyodideModule;
}
