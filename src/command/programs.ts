// All programs that Shell starts, by the categories of its page. To add one, write a row in its category's file: what
// its options take, what is refused and why, and examples of both.

import type { ProgramRow } from "./program-row.ts";
import { analysisPrograms } from "./programs/analysis.ts";
import { inspectionPrograms } from "./programs/inspection.ts";
import { languagePrograms } from "./programs/language.ts";
import { searchPrograms } from "./programs/search.ts";
import { systemPrograms } from "./programs/system.ts";
import { versionControlPrograms } from "./programs/version-control.ts";
import { wrapperPrograms } from "./programs/wrappers.ts";

export const programRows: readonly ProgramRow[] = [
  ...inspectionPrograms,
  ...searchPrograms,
  ...versionControlPrograms,
  ...languagePrograms,
  ...systemPrograms,
  ...analysisPrograms,
  ...wrapperPrograms,
];
