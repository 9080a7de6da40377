// `sallyport policy`: its subcommands, their flags and their help.

import { Argument, type Command } from "commander";
import { addGateFlags, pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addPolicy(program: Command, terminal: Terminal, run: Run): void {
  const policy = program
    .command("policy")
    .summary("rules and remembered answers: list, add, remove, check, explain")
    .description("Shows and changes the rules, and the answers that were given for longer than once.")
    .addHelpText(
      "after",
      `
Examples:
  sallyport policy list
  sallyport policy add '{ decide: deny, effect: run, argv: [git, push, "**"] }'
  sallyport policy explain Exec '{"argv":["git","push"]}'
  sallyport policy check`,
    );
  const withPathFlags = (command: Command): Command =>
    command.addOption(pathFlags.project()).addOption(pathFlags.config()).addOption(pathFlags.state());
  addList(withPathFlags(policy.command("list")), terminal, run);
  addAdd(withPathFlags(policy.command("add")), terminal, run);
  addRemove(withPathFlags(policy.command("remove")), terminal, run);
  addCheck(withPathFlags(policy.command("check")), terminal, run);
  addExplain(addGateFlags(policy.command("explain")), terminal, run);
}

function addList(command: Command, terminal: Terminal, run: Run): void {
  command
    .summary("every rule in force and every remembered answer")
    .description("Every rule in force and every remembered answer, with where each is from, and what holds otherwise.")
    .option("--session [NAME]", "the answers of sessions as well: of all, or of this one")
    .option("--json", 'as {"rules","answers","otherwise"}')
    .addHelpText(
      "after",
      `
Examples:
  sallyport policy list
  sallyport policy list --session
  sallyport policy list --project ~/site --json`,
    )
    .action((flags) => run(async () => (await import("./policy.ts")).policyListCommand(flags, terminal)));
}

function addAdd(command: Command, terminal: Terminal, run: Run): void {
  command
    .summary("store a rule, for this project or everywhere")
    .description("Stores one rule, for this project or everywhere. It holds from the next call on.")
    .argument("<RULE>", "a map, as list shows it")
    .option("--everywhere", "for every project")
    .option("--agent <NAME>", "only for this agent")
    .option("--because <TEXT>", "told to whoever meets the rule")
    .option("--json", 'as {"id","scope","agent","rule","file"}')
    .addHelpText(
      "after",
      `
The rule is checked as strictly as the configuration, and its examples are tried. The strictest rule that matches wins:
an allow never opens what another rule denies.

Examples:
  sallyport policy add '{ decide: deny, effect: run, argv: [git, push, "**"] }'
  sallyport policy add '{ decide: allow, effect: read, path: ~/notes }' --agent default
  sallyport policy add '{ decide: ask, effect: network, host: "**.example.com" }' --everywhere
  sallyport policy add '{ decide: deny, effect: read, path: "\${project}/.secrets" }' --because "not for agents"`,
    )
    .action((rule: string, flags) =>
      run(async () => (await import("./policy.ts")).policyAddCommand(rule, flags, terminal)),
    );
}

function addRemove(command: Command, terminal: Terminal, run: Run): void {
  command
    .summary("take back a rule or a remembered answer")
    .description("Takes back a rule or a remembered answer: of this project, of everywhere, or of a session.")
    .argument("<ID>", "its name, as list shows it")
    .option("--json", 'as {"id","removed","rule"}')
    .addHelpText(
      "after",
      `
Rules of the configuration file are changed there; this says in which line.

Examples:
  sallyport policy remove r-1a2b3c4d
  sallyport policy list --session && sallyport policy remove s-1a2b3c4d

Exit code: 0 when it is gone, 1 when there is none of that name or it is in the configuration file.`,
    )
    .action((id: string, flags) =>
      run(async () => (await import("./policy.ts")).policyRemoveCommand(id, flags, terminal)),
    );
}

function addCheck(command: Command, terminal: Terminal, run: Run): void {
  command
    .summary("what is wrong with the configuration and the rules")
    .description("Loads the configuration and the rules, tries their examples, and says everything that is wrong.")
    .option("--json", 'as {"ok","rules","answers","examples","errors","warnings"}')
    .addHelpText(
      "after",
      `
It also warns of rules that can never decide anything.

Examples:
  sallyport policy check
  sallyport policy check --config new.yaml && mv new.yaml ~/.config/sallyport/config.yaml

Exit code: 0 when all is in order, 1 when it is not.`,
    )
    .action((flags) => run(async () => (await import("./policy-check.ts")).policyCheckCommand(flags, terminal)));
}

function addExplain(command: Command, terminal: Terminal, run: Run): void {
  command
    .summary("what the policy says to one call, and why")
    .description("Shows, for one call, each effect, each rule that is about it, and what decides. Nothing runs.")
    .addArgument(new Argument("<TOOL>", "the tool, such as Exec"))
    .addArgument(
      new Argument("[JSON]", "its arguments as a JSON object; - reads them from standard input; none means {}"),
    )
    .option("--json", 'as {"ok","decision","outcome","meaning","effects"}')
    .addHelpText(
      "after",
      `
Examples:
  sallyport policy explain Exec '{"argv":["git","-C","site","push"]}'
  echo '{"command":"rm -r build"}' | sallyport policy explain Shell -

Exit code: 0 when it would run without a question, 1 when it would be asked about or refused; 2 for wrong use.`,
    )
    .action((tool: string, json: string | undefined, flags) =>
      run(async () => (await import("./policy-explain.ts")).explainCommand(tool, json, flags, terminal)),
    );
}
