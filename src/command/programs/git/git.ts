// git.

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
    // The push comes first: a hint at how to allow what a forced push destroys would lead nowhere.
    effects: [gitPush, gitLosses, gitQuestions, gitNetwork],
    starts: gitStarts,
  }),
  program([...ownSubcommands].map((name) => `git-${name}`).join(" "), { starts: dashedGitStarts }),
];
