// git, with its rules from the files beside it.

import { type Program, program } from "../../rules/program.ts";
import { gitForms } from "./git-forms.ts";
import { gitNetwork } from "./git-hosts.ts";
import { gitLosses } from "./git-losses.ts";
import { gitPush } from "./git-push.ts";
import { gitQuestions } from "./git-questions.ts";
import { dashedGitStarts, gitStarts, ownSubcommands } from "./git-starts.ts";

export const gitPrograms: readonly Program[] = [
  program("git", {
    shell: gitForms,
    // The push comes first, because no rule allows it: a hint at how to allow what a forced push destroys would mislead.
    effects: [gitPush, gitLosses, gitQuestions, gitNetwork],
    starts: gitStarts,
  }),
  program([...ownSubcommands].map((name) => `git-${name}`).join(" "), { starts: dashedGitStarts }),
];
