// What the box of `sallyport run` gets so that its programs reach the gate: the command `sallyport`, and git's way to it.

import { limits } from "../../shared/limits.ts";
import type { InsideParts } from "../../tools/run.ts";
import { sayingProgram } from "./inside-said.ts";

const ROOT = "/run/sallyport";
const NODE = `${ROOT}/node`;
/** What `sallyport hook` is there. */
const SAYING = `${ROOT}/hook.cjs`;
const GIT_SETTINGS = `${ROOT}/gitconfig`;

/** Where programs in the box find MCP. */
export const insideUrl = `http://127.0.0.1:${limits.insidePort}/mcp`;

/** `project`: where git says how to ask, when it would push. */
export function insideParts(project: string): InsideParts {
  const program = (name: string, content: string) => ({
    path: `${ROOT}/bin/${name}`,
    content,
    isProgram: true as const,
  });
  return {
    files: [
      { path: NODE, source: process.execPath },
      program("sallyport", command),
      { path: SAYING, content: sayingProgram(NODE) },
      program("git-remote-sallyport", howToPush),
      { path: GIT_SETTINGS, content: gitSettings },
    ],
    directory: `${ROOT}/bin`,
    environment: {
      GIT_CONFIG_COUNT: "1",
      // Only in the draft: other repositories in the box may have a remote.
      GIT_CONFIG_KEY_0: `includeIf.gitdir:${project}/.git.path`,
      GIT_CONFIG_VALUE_0: GIT_SETTINGS,
    },
  };
}

/** The gate reads the words and writes the texts, so that this program has nothing to decide. */
const command = `#!${NODE}
"use strict";
const saying = "${SAYING}";
if (process.argv[2] === "hook") return require(saying);
const { request } = require("node:http");
const body = JSON.stringify({ words: process.argv.slice(2), cwd: process.cwd() });
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
const options = { host: "127.0.0.1", port: ${limits.insidePort}, path: "/command", method: "POST", headers, agent: false };
const gone = (why) => {
  process.exitCode = 70;
  process.stderr.write("sallyport: the gate of this session does not answer: " + why + "\\n");
};
const take = (line) => {
  const { out, err, code } = JSON.parse(line);
  if (out !== undefined) process.stdout.write(out);
  if (err !== undefined) process.stderr.write(err);
  if (code !== undefined) process.exitCode = code;
};
request(options, (response) => {
  let rest = "";
  response.setEncoding("utf8");
  response.on("data", (text) => {
    const lines = (rest + text).split("\\n");
    rest = lines.pop();
    lines.forEach(take);
  });
  response.on("error", (error) => gone(error.message));
  response.on("end", () => process.exitCode === undefined && gone("status " + response.statusCode));
})
  .on("error", (error) => gone(error.message))
  .end(body);
`;

const howToPush = `#!${NODE}
process.stderr.write("This is a draft. Ask for a push with: sallyport stage --commits && sallyport push\\nTo push to a host that was granted, name its address: git push URL BRANCH\\n");
process.exitCode = 1;
`;

/** A remote `origin` of the agent's own has an address of its own, so it is not rewritten. */
const gitSettings = `[remote]
\tpushDefault = origin
[push]
\tautoSetupRemote = true
[url "sallyport::"]
\tpushInsteadOf = origin
`;
