// Lands what a file holds, in a process of its own that can be killed. Prints "done" with the answer.
// usage: node local-land-process.ts <repository> <landing.json>

import { readFileSync } from "node:fs";
import type { Landing } from "../../../../src/git/target/target.ts";
import { land } from "./local-room.ts";

const [repo = "", file = ""] = process.argv.slice(2);
process.stdout.write("ready\n");
const landing = JSON.parse(readFileSync(file, "utf8"), (_, value: unknown) => {
  const isBytes = typeof value === "object" && value !== null && "base64" in value;
  return isBytes ? Buffer.from(value.base64 as string, "base64") : value;
}) as Landing;
process.stdout.write("start\n");
process.stdout.write(`done ${JSON.stringify(await land(repo, landing))}\n`);
