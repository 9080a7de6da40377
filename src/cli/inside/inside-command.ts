// The command `sallyport` as programs in a box of `sallyport run` have it: words in, calls of the gate, texts and an exit code out.
// Invariant: it has no answers, no rules and no landing. Each of its words is a call, judged and recorded like any other.

import { resolve } from "node:path";
import { Command } from "commander";
import { safeJson } from "../../audit/entry.ts";
import type { Reply } from "../../runtime/reply.ts";
import { replyText } from "../../runtime/reply-text.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { ASK_HOST } from "../../tools/ask-host.ts";
import { exitCode } from "../exit-code.ts";
import { UsageError } from "../usage-error.ts";
import { chosenCommit, type InsideCaller, stagedFiles } from "./inside-words.ts";

/** Resolves to the exit code: as of `sallyport call`. */
export async function runInsideCommand(words: readonly string[], caller: InsideCaller): Promise<number> {
  let code: number = exitCode.ok;
  const program = createInsideProgram(caller, async (call, isJson) => {
    const reply = await call;
    code = printReply(reply, isJson, caller);
  });
  try {
    await program.parseAsync([...words], { from: "user" });
    return code;
  } catch (error) {
    return usageCode(error, caller);
  }
}

function printReply(reply: Reply, isJson: boolean, { out, err }: InsideCaller): number {
  const code = reply.ok ? exitCode.ok : exitCode.refused;
  if (isJson) out(`${safeJson(reply as unknown as Json)}\n`);
  else if (reply.ok) out(`${replyText(reply)}\n`);
  else err(`sallyport: refused: ${replyText(reply)}\n`);
  return code;
}

function usageCode(error: unknown, { err }: InsideCaller): number {
  const {
    name,
    message,
    hint,
    exitCode: code,
  } = error as {
    readonly name?: string;
    readonly message: string;
    readonly hint?: string;
    readonly exitCode?: number;
  };
  if (error instanceof UsageError) {
    err(`sallyport: ${displayText(message)}\n${hint === undefined ? "" : `hint: ${displayText(hint)}\n`}`);
    return exitCode.usage;
  }
  if (name !== "CommanderError") throw error;
  if (code === 0) return exitCode.ok; // --help
  err(`sallyport: ${displayText(message.replace(/^error: /, ""))}\nhint: \`sallyport --help\` shows what there is.\n`);
  return exitCode.usage;
}

type Print = (call: Promise<Reply>, isJson: boolean) => Promise<void>;

interface Flags {
  readonly json?: boolean;
}

function createInsideProgram(caller: InsideCaller, print: Print): Command {
  const { call } = caller;
  const program = new Command("sallyport")
    .description(
      "The gate of this session, from inside its box. What you push waits for a person to look at it. Only they can answer, outside.",
    )
    .helpCommand(false)
    .addHelpText("after", examples);
  const add = (name: string, summary: string): Command =>
    program.command(name).description(summary).option("--json", "the reply as JSON, on one line");

  add("status [PATH...]", "what is staged, and what differs and is not").action((paths: string[], flags: Flags) =>
    print(call("git_status", inPaths(paths, caller)), flags.json === true),
  );
  add("diff [PATH...]", "what differs from the project as it was when the session began")
    .option("--commit <ID>", "a staged commit instead")
    .option("--stat", "only the numbers of lines")
    .action((paths: string[], { commit, stat, json }: Flags & { commit?: string; stat?: boolean }) => {
      const args = { ...inPaths(paths, caller), ...(stat === true && { stat }), ...(commit && { commitId: commit }) };
      return print(call("git_diff", args), json === true);
    });
  add("stage [FILE...]", "freeze files, or commits made here, for a push; without FILE all that differ")
    .option("-m, --message <TEXT>", "the message of the commit")
    .option("--commits [RANGE]", "commits made here instead: all that have not landed, or such as HEAD~2..HEAD")
    .action(
      async (files: string[], { message, commits, json }: Flags & { message?: string; commits?: string | true }) => {
        const args = await stagedFiles({ files, message, commits }, caller);
        await print("ok" in args ? Promise.resolve(args) : call("git_stage", args), json === true);
      },
    );
  add("push [COMMIT]", "ask a person to land a staged commit, and wait for the answer")
    .option("--branch <NAME>", "the branch of the project (else its default branch)")
    .action(async (id: string | undefined, { branch, json }: Flags & { branch?: string }) => {
      const commit = await chosenCommit(id, caller);
      if (typeof commit !== "string") return await print(Promise.resolve(commit), json === true);
      const target = branch === undefined ? {} : { target: { type: "local", path: ".", branch } };
      await print(call("git_push", { commitId: commit, ...target }), json === true);
    });
  add("discard <COMMIT>", "take a staged commit back; the files stay").action((id: string, flags: Flags) =>
    print(call("git_discard", { commitId: id }), flags.json === true),
  );
  add("pull", "bring in what the project has now, and put your own work on top").action((flags: Flags) =>
    print(call("git_pull", {}), flags.json === true),
  );
  add("ask <HOST>", "ask for a host, as HOST:PORT, before a program connects to it").action(
    (host: string, flags: Flags) => print(call(ASK_HOST, { host }), flags.json === true),
  );
  for (const command of [program, ...program.commands])
    command.exitOverride().configureOutput({
      writeOut: caller.out,
      writeErr: caller.err,
      outputError: () => undefined, // printed once, in the words of `usageCode`
    });
  return program;
}

function inPaths(paths: readonly string[], { cwd }: InsideCaller): { paths?: string[] } {
  return paths.length === 0 ? {} : { paths: paths.map((path) => resolve(cwd, path)) };
}

const examples = `
Examples:
  sallyport status
  sallyport stage -m "Mend the sum" src/sum.js
  sallyport stage --commits                     what you committed with git, commit by commit
  sallyport push                                what was staged; a person sees the diff first
  sallyport push c-1234abcd --branch mend-sum
  sallyport ask registry.npmjs.org:443

Exit code: 0 it was done; 1 refused, or nobody has answered yet: the same command picks the answer up; 2 wrong use.`;
