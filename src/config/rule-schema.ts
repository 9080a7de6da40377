// The schema of a rule: in the configuration, in a file of its own, in an edited answer.

import { z } from "zod";
import { type EffectKind, effectKinds } from "../action/effect.ts";
import { describeBuiltIn } from "../policy/built-in-text.ts";
import { configBounds } from "./config-bounds.ts";

export const list = <T extends z.ZodType>(item: T) => z.array(item).max(configBounds.listLength);

const exampleList = list(z.union([z.string().min(1), list(z.string()).min(1)])).default([]);
const words = list(z.string().max(4096)).min(1);
const text = z.string().min(1).max(4096);
const decide = z.enum(["allow", "ask", "deny"]);

/** The fields of a rule, wherever it is written: in the configuration, in a rules file, in an edited answer. */
const ruleSchema = z.strictObject({
  decide: decide.describe("The strictest of the rules that match wins: `deny`, then `ask`, then `allow`."),
  effect: z
    .enum(effectKinds)
    .describe(
      "What the rule is about. The fields below narrow it; each goes with some effects, and is refused elsewhere.",
    ),
  tool: text.optional().describe("`tool`: its name, `*` for any characters."),
  program: text
    .optional()
    .describe(
      "`run`, `privilege`, `interactive`, `destroy`: a name (`git`) or a path (`/opt/**`). A name allows only programs under `/usr`, `/bin` and `/sbin`.",
    ),
  argv: words
    .optional()
    .describe(
      'The same effects: the words, program first: `[git, push, "**"]`. `*` is any characters of one word, `**` any number of words. `ask` and `deny` see through wrappers and git\'s own options.',
    ),
  path: text
    .optional()
    .describe("`read`, `write`: an absolute path with all below it, also `~/` and `${project}`; globs as in `hide`."),
  host: text
    .optional()
    .describe(
      "`network`: `host`, `host:port`, `*.host`, `**.host`, an address or a range of them, `*`, or a set of hosts such as `npm`. Without a port, any port; a set has ports of its own.",
    ),
  target: text
    .optional()
    .describe(
      "`push`, `pull`: a path, a URL or a remote; `*` for any characters. A rule that allows a push names one target: no `*`.",
    ),
  branch: text
    .optional()
    .describe("`push`: the branch; `*` for any characters. A rule that allows a push names one branch: no `*`."),
  what: z.enum(["files", "git"]).optional().describe("`destroy`: files, or git's work."),
  because: z.string().min(1).max(1024).optional().describe("The reason that the agent and the person see."),
});

/** A rule with examples, which are tried when it is loaded. */
export const writtenRuleSchema = ruleSchema.extend({
  examples: z
    .strictObject({
      match: exampleList.describe("What the rule must be about."),
      not_match: exampleList.describe("What it must not be about."),
    })
    .optional()
    .describe(
      "`match` and `not_match`: command lines, paths, hosts, names. Tried when the file is loaded; one that fails stops the load.",
    ),
});

export const otherwise = z
  .strictObject(
    Object.fromEntries(
      effectKinds
        .filter((kind) => kind !== "tool")
        .map((kind) => [
          kind,
          // A rule that allows a push must name its target and branch.
          (kind === "push" ? decide.exclude(["allow"]) : decide)
            .optional()
            .describe(`Not written: ${describeBuiltIn[kind]}.`),
        ]),
    ) as Record<Exclude<EffectKind, "tool">, z.ZodOptional<typeof decide>>,
  )
  .prefault({})
  .describe("What holds for an effect that no rule is about. About `tool`, rules and `tool_grants` decide alone.");

/** A rule or an answer in its own file, below the configuration directory. */
export const storedRuleSchema = writtenRuleSchema.extend({
  agent: z.string().min(1).optional(),
  answer: z.boolean().optional(),
  added: z.string().optional(),
  by: z.string().optional(),
  question: z.string().optional(),
});

export type StoredRuleFile = z.infer<typeof storedRuleSchema>;
