import type { ProgramExamples } from "./program-examples.ts";

export const databasesExamples: ProgramExamples = {
  mysql: {
    effects: [
      {
        kind: "interactive",
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
    ],
  },
  sqlite3: {
    effects: [
      {
        kind: "interactive",
        is: [
          "sqlite3 a.db",
          "sqlite3",
          "sqlite3 -json a.db",
          "sqlite3 -cmd '.mode json' a.db",
          "duckdb -readonly a.db",
        ],
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
    ],
    starts: [
      ["sqlite3 a.db '.shell rm x'", "rm x"],
      ["sqlite3 a.db <<< '.system rm x'", "rm x"],
      ["sqlite3 a.db 'select 1'"],
    ],
  },
};
