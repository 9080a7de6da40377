// Clients of databases. They wait for a person unless they are given a query.

import { interactive } from "../rules/effect-rule.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { starting, startPrefixed } from "../rules/start-rule.ts";
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

const fileWaits = interactive(
  {
    is: ["sqlite3 a.db", "sqlite3", "sqlite3 -json a.db", "sqlite3 -cmd '.mode json' a.db", "duckdb -readonly a.db"],
    isNot: [
      "sqlite3 a.db .schema",
      "sqlite3 -json a.db 'select 1'",
      "sqlite3 --json a.db 'select 1'",
      "sqlite3 -column -header -separator , a.db 'select 1'",
      "sqlite3 -init /dev/null -noheader -list a.db .tables",
      "sqlite3 -batch a.db",
      "sqlite3 -version",
      "sqlite3 -Atf a.sqlar",
      "sqlite3 a.db < x.sql",
      "duckdb -c 'select 1'",
      "duckdb -json a.db 'select 1'",
      "duckdb a.db -f x.sql",
    ],
  },
  (command) => {
    const isDuck = command.name === "duckdb";
    const read = readOptions(command.args, isDuck ? duckOptions : sqliteOptions);
    const hasCommands = read.has("-batch") || (isDuck ? read.has("-c", "-s", "-f") : hasArchive(read.flags));
    return !command.hasInput && !showsItself(command) && !hasCommands && read.operands.length <= 1;
  },
);

export const databases: readonly Program[] = [
  program("mysql mariadb psql redis-cli mongo mongosh sqlplus cqlsh clickhouse-client", {
    effects: interactive(
      {
        is: ["mysql", "mysql -u root db", "psql", "psql -h x db", "redis-cli", "mongosh mongodb://h/db"],
        isNot: [
          "mysql -e 'select 1'",
          "mysql -BNe 'select 1' db",
          "mysql db < dump.sql",
          "cat x | psql",
          "psql -c 'select 1'",
          "psql -Atqc 'select 1' db",
          "psql -f x.sql",
          "psql -l",
          "redis-cli ping",
          "redis-cli --scan",
          "redis-cli -v",
          "mongosh x.js",
          "clickhouse-client --query 'select 1'",
          "mysql --version",
          "psql --command='x'",
        ],
      },
      (command) => {
        const read = readOptions(command.args, clientOptions);
        const hasCommands =
          read.has(...givingOptions) ||
          (command.name === "redis-cli" && read.has("-v", "--scan", "--bigkeys", "--memkeys", "--hotkeys", "--rdb")) ||
          (command.name === "clickhouse-client" && read.has("-q", "--query", "--queries-file")) ||
          (command.name.startsWith("mongo") && read.operands.some(({ text }) => text?.endsWith(".js") === true));
        const most = command.name === "redis-cli" ? 0 : command.name === "psql" ? 2 : 1;
        return !command.hasInput && !showsItself(command) && !hasCommands && read.operands.length <= most;
      },
    ),
  }),
  program("sqlite3", {
    effects: [fileWaits],
    starts: starting(
      [
        ["sqlite3 a.db '.shell rm x'", "rm x"],
        ["sqlite3 a.db <<< '.system rm x'", "rm x"],
        ["sqlite3 a.db 'select 1'"],
      ],
      ({ args }) => {
        const dotted = /^\s*\.(?:sh|she|shell|sys|syst|syste|system)\s+/;
        return [
          ...startPrefixed(args, dotted),
          { kind: "input", read: (text) => startPrefixed(text.split("\n").map(knownWord), dotted) },
        ];
      },
    ),
  }),
  program("duckdb", { effects: [fileWaits] }),
];
