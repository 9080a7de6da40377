// The keys of a question and of `review`, from the tables that the screens are made of.

import { answerName, firstKey, reasonKey } from "../src/approval/answer-keys.ts";
import { type Scope, scopes } from "../src/approval/answer-meaning.ts";
import {
  choiceKeys,
  type KeyRow,
  listKeys,
  pushKeys,
  questionKeys,
  togetherKeys,
} from "../src/cli/review/review-keys.ts";

/** A sign is code, the name of a key is a word. */
function keyCell(keys: readonly string[]): string {
  return keys.map((key) => (key.length === 1 ? `\`${key}\`` : key)).join(" ");
}

const more: Readonly<Record<Scope, string>> = {
  once: "",
  session: "",
  project: ". Before Enter, a number chooses how wide the rule is, and `e` edits it",
  everywhere: "; the same before Enter",
};

/** What a key answers, wherever a question stands. */
export function answerKeyRows(): string[][] {
  const yes = (scope: Scope) => answerName({ decision: "allow", scope });
  const [once, session] = [yes("once"), yes("session")];
  const [no, never] = [
    answerName({ decision: "deny", scope: "once" }),
    answerName({ decision: "deny", scope: "project" }),
  ];
  const sets = scopes
    .filter((scope) => scope !== "once")
    .map((scope) => answerName({ decision: "allow", scope, sets: ["npm"] }).key);
  return [
    ...scopes.map((scope) => [keyCell([yes(scope).key]), `${yes(scope).name}${more[scope]}`]),
    [keyCell(sets), "the same, for the whole set that the host belongs to, such as `npm`"],
    [
      keyCell([firstKey]),
      `the first answer of the question, if it is a yes: ${keyCell([session.key])}, or ${keyCell([once.key])} if a longer yes would open more than the person has read`,
    ],
    [keyCell([no.key]), no.name],
    [keyCell([reasonKey]), `${no.name}, and why: asks for a reason, which the agent gets`],
    [keyCell([never.key]), never.name],
    [keyCell(["?", "q"]), "help; leave it unanswered"],
  ];
}

const screens: readonly (readonly [name: string, rows: readonly KeyRow[]])[] = [
  ["list", listKeys],
  ["order and filters", choiceKeys],
  ["question", questionKeys],
  ["questions together", togetherKeys],
  ["push", pushKeys],
];

export function reviewKeyRows(): string[][] {
  return screens.flatMap(([name, rows]) =>
    rows.map(({ keys, does }, at) => [at === 0 ? name : "", keyCell(keys), does.replaceAll("|", "\\|")]),
  );
}
