// `sallyport worker check`: prints a worker file in plain words, or everything that is wrong with it.

import { safeJson } from "../../audit/entry.ts";
import { describeConfigErrors } from "../../config/config-error.ts";
import { loadWorker, type Worker } from "../../config/worker.ts";
import type { GitTarget } from "../../git/target/target.ts";
import { describeNetGrants, type NetGrants, netGrantsOf } from "../../policy/net-grants.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { exitCode } from "../exit-code.ts";
import { pathsFromFlags, type PolicyFlags } from "../policy/policy-paths.ts";
import { wrapText } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

export async function workerCheckCommand(
  file: string,
  flags: PolicyFlags,
  { environment, out }: Terminal,
): Promise<number> {
  const loaded = loadWorker(file, pathsFromFlags(flags, environment));
  if (flags.json === true) {
    const result = loaded.ok
      ? { ok: true, worker: asJson(loaded.worker), errors: [] }
      : { ok: false, worker: null, errors: loaded.errors };
    await out.line(safeJson(JSON.parse(JSON.stringify(result)) as Json));
  } else if (loaded.ok) {
    await out.line(`${out.paint("In order:", "green")} ${displayText(loaded.worker.name)}`);
    for (const [name, text] of describeWorker(loaded.worker))
      await out.line(
        `  ${name.padEnd(8)}  ${wrapText(text, Math.max(20, out.width - 12)).join(`\n${" ".repeat(12)}`)}`,
      );
  } else {
    const { length } = loaded.errors;
    await out.line(describeConfigErrors(loaded.errors, Infinity));
    await out.line(`${out.paint("Not in order:", "red")} ${length} ${length === 1 ? "error" : "errors"}.`);
  }
  return loaded.ok ? exitCode.ok : exitCode.refused;
}

/** With the field names of the file. */
function asJson({ narrower, rules, ...worker }: Worker): object {
  return {
    name: worker.name,
    description: worker.description,
    git: {
      default_target: worker.defaultTarget,
      auto_pull: worker.autoPull.map(({ paths, source, onConflict }) => ({ paths, source, on_conflict: onConflict })),
    },
    tool_grants: narrower.toolGrants ?? null,
    fs_grants: narrower.fsGrants ?? null,
    net_grants: narrower.netGrants ?? null,
    limits: narrower.limits ?? null,
    policy: { rules: rules.map(({ text }) => text) },
    examples: worker.exampleCount,
    instructions: worker.instructions,
  };
}

function* describeWorker(worker: Worker): Generator<readonly [string, string]> {
  const { narrower, defaultTarget, autoPull, rules } = worker;
  yield ["does", displayText(worker.description)];
  yield [
    "pushes",
    defaultTarget === null
      ? "where each push says"
      : `to ${describeTarget(defaultTarget)}, unless a push says otherwise`,
  ];
  for (const { paths, source, onConflict } of autoPull)
    yield [
      "pulls",
      `${paths.map((path) => displayText(path)).join(", ")} from ${describeTarget(source)} (in the way: ${onConflict})`,
    ];
  const words = (list: readonly string[]) =>
    list.length === 0 ? "none" : list.map((word) => displayText(word)).join(", ");
  if (narrower.toolGrants !== undefined) yield ["tools", `of the agent's, only: ${words(narrower.toolGrants)}`];
  if (narrower.fsGrants !== undefined)
    yield ["paths", `of the agent's, only: ${words(narrower.fsGrants.map(({ path, mode }) => `${path} (${mode})`))}`];
  if (narrower.netGrants !== undefined) yield ["network", networkText(netGrantsOf(narrower.netGrants))];
  if (narrower.limits !== undefined)
    yield [
      "limits",
      `at most ${
        Object.entries(narrower.limits)
          .map(([name, value]) => `${name} ${value}`)
          .join(", ") || "the agent's"
      }`,
    ];
  if (rules.length > 0) yield ["rules", `${rules.length}, with ${worker.exampleCount} examples that hold`];
}

function networkText(grants: NetGrants): string {
  if (grants.isWhole) return "what the agent has";
  const lines = describeNetGrants(grants);
  return lines.length === 0 ? "none" : `of the agent's, only: ${lines.map((line) => displayText(line)).join(", ")}`;
}

function describeTarget(target: GitTarget): string {
  const address = target.type === "github" ? target.repo : target.type === "remote" ? target.url : target.path;
  const branch = target.branch === undefined ? "its default branch" : `branch ${displayText(target.branch)}`;
  return `${target.type} ${displayText(address)}, ${branch}`;
}
