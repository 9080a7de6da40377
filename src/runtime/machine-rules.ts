// What rules and grants mean on the disk of this machine.

import type { Config } from "../config/load.ts";
import { showTracked } from "../git/tracked-files.ts";
import { deniedProgramFiles } from "../process/denied-program-files.ts";
import type { RuleDisk } from "./rule-book.ts";

export function machineRules({ project, programPath }: Config): RuleDisk {
  return {
    shown: showTracked,
    absent: (rules, { fsGrants }) =>
      deniedProgramFiles(
        rules,
        [project, ...fsGrants.map(({ path }) => path)],
        fsGrants.filter(({ mode }) => mode === "rw").map(({ path }) => path),
        programPath,
      ),
  };
}
