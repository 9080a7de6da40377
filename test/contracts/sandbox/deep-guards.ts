// What others execute later, deeper down: it does not land, whatever is done to keep it from us.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { bash } from "../../fixtures/run.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

/** Each leaves one protected file with something in it, below its own directory. */
const deep: Readonly<Record<string, string>> = {
  "in a new directory": "mkdir -p new/deep/.git/hooks && echo evil > new/deep/.git/hooks/x",
  "in an old directory whose time of change is set back":
    "touch -r old /tmp/time && mkdir -p old/.git/hooks && echo evil > old/.git/hooks/x && touch -r /tmp/time old",
  "a file of settings": "mkdir -p new && echo evil > new/.envrc",
  "a link": "mkdir -p new hooks && echo evil > hooks/x && ln -s ../hooks new/.vscode",
  "a pointer file": "mkdir -p new store/hooks && echo evil > store/hooks/x && echo 'gitdir: ../store' > new/.git",
  "cloned, or so it seems":
    "mkdir -p src && cp -r src copy && mkdir -p copy/.git && echo '[core] fsmonitor = evil' > copy/.git/config",
  "under a path that is longer than a file name may be":
    "d=$(printf 'x%.0s' {1..120}); mkdir -p $d/$d/$d/.git && echo evil > $d/$d/$d/.git/config",
  "where nobody may write": "mkdir -p new/.git && echo evil > new/.git/config && chmod 555 new/.git new",
  "where nobody may look": "mkdir -p new/.git && echo evil > new/.git/config && chmod 311 new",
  "where nobody may enter": "mkdir -p new/.git && echo evil > new/.git/config && chmod 444 new",
  "in a directory whose name is not UTF-8": "mkdir -p $'n\\xff/.git' && echo evil > $'n\\xff/.git/config'",
  "so deep that no path leads there":
    "for i in {1..60}; do d=$(printf 'x%.0s' {1..100}); mkdir $d && cd -P $d; done; mkdir .git && echo evil > .git/config",
};

const leftovers =
  "find . -mindepth 2 -name .git -o -mindepth 2 -name .envrc -o -mindepth 2 -name .vscode | while read p; do test -s $p && ls -A $p | grep . ; done";

export function describeDeepGuards(name: string, context: ContractContext): void {
  describe(`${name}: what others execute later, deeper down`, () => {
    const directories = usePlace();
    const directory = (index: number) => `${directories.root}/case-${index}`;
    for (const index of Object.keys(deep).keys()) {
      mkdirSync(`${directory(index)}/old`, { recursive: true });
      mkdirSync(`${directory(index)}/src`);
      writeFileSync(`${directory(index)}/src/kept.txt`, "kept");
    }
    const gate = useGate(context, directories);
    before(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200)); // then the directories are remembered as they are
      await bash(gate, "true");
    });

    for (const [index, [how, script]] of Object.entries(deep).entries()) {
      test(`held back and named: ${how}`, async () => {
        const result = await bash(gate, `cd ${directory(index)} && ${script}`);
        assert.ok((result.not_kept?.length ?? 0) >= 1, JSON.stringify(result));
        const found = await bash(gate, `cd ${directory(index)}; chmod -R u+rwx . 2>/dev/null; ${leftovers}`);
        assert.equal(found.stdout, "");
        assert.equal(readFileSync(`${directory(index)}/src/kept.txt`, "utf8"), "kept");
        const kept = readdirSync(`${directories.state}/layers`).filter((name) => name.startsWith("kept-"));
        assert.ok(kept.length > 0, "and it is not lost");
      });
    }
  });
}
