// The command from a shell's point of view: started, one call made, ended.

import { existsSync, writeFileSync } from "node:fs";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom, repository } from "./box-room.ts";
import { sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const nothing = "node -e 0";

export const commandLineTopic: Topic = {
  name: "command-line",
  async measure() {
    if (!existsSync(`${repository}/dist/bundle/main.cjs`)) {
      return { tables: [], goals: [], remarks: ["`sallyport call` left out: this clone is not built (npm run build)"] };
    }
    const room = enterRoom();
    try {
      const project = room.makeDirectory("project");
      const config = `${room.configHome}/bench.json`;
      const agent = { tool_grants: ["Exec"], fs_grants: [{ path: "/usr", mode: "r" }] };
      writeFileSync(config, JSON.stringify({ version: 1, agents: { default: agent } }), { mode: 0o600 });
      const environment = { XDG_CONFIG_HOME: room.configHome, HOME: room.directory, PATH: "/usr/bin:/bin" };
      const places = ["--config", config, "--state", room.statePath(), "--project", project];
      const words = [
        `${repository}/bin/sallyport.js`,
        "call",
        "Exec",
        JSON.stringify({ argv: ["/bin/true"] }),
        ...places,
      ];
      const call = async () => {
        const reply = JSON.parse(await bareSpawn(process.execPath, words, { environment })) as { ok: boolean };
        if (!reply.ok) throw new Error(JSON.stringify(reply));
      };
      const rows = await sample(
        [
          { name: nothing, run: async () => void (await bareSpawn(process.execPath, ["-e", "0"])) },
          { name: "sallyport call Exec /bin/true", run: call },
        ],
        { rounds: 30, warmUpRounds: 2, budgetMs: 12_000 },
      );
      return { tables: [{ title: "one command, from start to end", base: nothing, rows }], goals: [], remarks: [] };
    } finally {
      room.leave();
    }
  },
};
