// A process that appends: `append-worker.ts DIRECTORY COUNT NAME`. COUNT 0: calls without end, until it is killed.

import { openJournal } from "../../src/store/sqlite.ts";

const [directory = "", count = "0", name = ""] = process.argv.slice(2);
const journal = openJournal({ stateDirectory: `${directory}/state`, keyDirectory: `${directory}/config` });
process.stdout.write("open\n");
for (let index = 1; count === "0" || index <= Number(count); index += 1) {
  const call = { call_id: `${name}-${index}`, session: name, tool: "Exec" };
  journal.append(
    { ...call, event: "tool.call.received", args: { argv: ["/bin/echo", String(index)] } },
    { durable: index % 3 === 0 },
  );
  if (count === "0")
    journal.append({ ...call, event: "tool.call.finished", outcome: { exit_code: 0, duration_s: 0.1 } });
  if (index === 1) process.stdout.write("at work\n");
}
journal.close();
