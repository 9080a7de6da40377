// A process that makes two calls at once, both of which have to be asked about on its terminal: `two-prompts.ts DIRECTORY`.

import { approversFor } from "../../src/cli/approvers.ts";
import { openGateFromFlags } from "../../src/cli/open-gate.ts";
import { openTerminal } from "../../src/cli/terminal/terminal.ts";
import { readEnvironment } from "../../src/config/environment.ts";

const environment = readEnvironment();
const gate = openGateFromFlags({}, environment, await approversFor({}, openTerminal(environment)));
const call = (word: string) =>
  gate.call({ tool: "Exec", args: { argv: ["/usr/bin/echo", word], cwd: process.argv[2] } });
const replies = await Promise.all([call("first"), call("second")]);
console.log(`replies: ${replies.map((reply) => (reply.ok ? "ran" : reply.error)).join(" ")}`);
gate.close();
