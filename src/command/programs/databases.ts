// Clients of databases. They wait for a person unless they are given a query.

import { interactive } from "../rules/effect-rule.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { startPrefixed } from "../rules/start-rule.ts";
import { knownWord } from "../words/command-word.ts";
import { showsItself } from "./terminals.ts";

/** Options that give a client something to do. */
const givingOptions = ["-e", "--execute", "-c", "--command", "-f", "--file", "-l", "--list", "--eval", "-V", "--batch"];
const clientOptions: OptionSpec = {
  values:
    "-e --execute -c --command -f --file -u --user -h --host -P --port -p -d --dbname -U --username -D --database --eval -n -a --query",
};
const sqliteOptions: OptionSpec = {
  values: "-cmd -init -separator -newline -nullvalue -mmap -maxsize -heap -vfs -escape -nonce",
  longNames: "one dash",
};
const duckOptions: OptionSpec = { values: `${sqliteOptions.values} -c -s -f`, longNames: "one dash" };
const hasArchive = (flags: ReadonlySet<string>): boolean => [...flags].some((flag) => flag.startsWith("-A"));

const fileWaits = interactive((command) => {
  const isDuck = command.name === "duckdb";
  const read = readOptions(command.args, isDuck ? duckOptions : sqliteOptions);
  const hasCommands = read.has("-batch") || (isDuck ? read.has("-c", "-s", "-f") : hasArchive(read.flags));
  return !command.hasInput && !showsItself(command) && !hasCommands && read.operands.length <= 1;
});

export const databases: readonly Program[] = [
  program("mysql mariadb psql redis-cli mongo mongosh sqlplus cqlsh clickhouse-client", {
    effects: interactive((command) => {
      const read = readOptions(command.args, clientOptions);
      const hasCommands =
        read.has(...givingOptions) ||
        (command.name === "redis-cli" && read.has("-v", "--scan", "--bigkeys", "--memkeys", "--hotkeys", "--rdb")) ||
        (command.name === "clickhouse-client" && read.has("-q", "--query", "--queries-file")) ||
        (command.name.startsWith("mongo") && read.operands.some(({ text }) => text?.endsWith(".js") === true));
      const most = command.name === "redis-cli" ? 0 : command.name === "psql" ? 2 : 1;
      return !command.hasInput && !showsItself(command) && !hasCommands && read.operands.length <= most;
    }),
  }),
  program("sqlite3", {
    effects: [fileWaits],
    starts: ({ args }) => {
      const dotted = /^\s*\.(?:sh|she|shell|sys|syst|syste|system)\s+/;
      return [
        ...startPrefixed(args, dotted),
        { kind: "input", read: (text) => startPrefixed(text.split("\n").map(knownWord), dotted) },
      ];
    },
  }),
  program("duckdb", { effects: [fileWaits] }),
];
