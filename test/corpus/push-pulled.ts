// Sources that would run something, or reach something else, when plain git takes files from them.

import { strict as assert } from "node:assert";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commitAll, plain, tryPlain, writeFile } from "./push-bench.ts";
import { type World, writeScript } from "./world.ts";

export interface PulledFrom {
  readonly prepare: (world: World) => void;
  /** What the result must say. */
  readonly notes?: RegExp;
  /** Without us it does happen; absent where this git is not fooled any more. */
  readonly control?: (world: World) => void;
}

function addSubmodule(world: World, path: string, url: string): void {
  const id = plain(world.repo, "rev-parse", "HEAD").trim();
  plain(world.repo, "config", "--file", ".gitmodules", "submodule.m.path", path);
  plain(world.repo, "config", "--file", ".gitmodules", "submodule.m.url", url);
  plain(world.repo, "add", ".gitmodules");
  plain(world.repo, "update-index", "--add", "--cacheinfo", `160000,${id},${path.trim()}`);
  plain(world.repo, "commit", "-q", "-m", "a submodule");
}

const checkout = ({ repo, marker }: World) => {
  rmSync(join(repo, "a.txt"));
  tryPlain(repo, "checkout", "main", "--", "a.txt");
  tryPlain(repo, "checkout", "-q", "-b", "side");
  assert.ok(existsSync(marker), "plain git does not run it: the fixture is broken");
};

export const pulledFrom: Readonly<Record<string, PulledFrom>> = {
  "pull-submodule-recurse": {
    prepare(world) {
      plain(world.out, "clone", "-q", world.repo, "other");
      addSubmodule(world, "m", join(world.out, "other"));
    },
    notes: /m is a submodule/,
    control({ repo, out }) {
      tryPlain(out, "-c", "protocol.file.allow=always", "clone", "-q", "--recurse-submodules", repo, "clone");
      assert.ok(existsSync(join(out, "clone/m/a.txt")), "plain git goes elsewhere for it");
    },
  },
  "pull-submodule-cr": {
    prepare: (world) => addSubmodule(world, "m\r", `ext::sh -c "touch ${world.marker}"`),
    notes: /m is a submodule/,
  },
  "pull-smudge": {
    prepare(world) {
      writeFile(world.repo, ".gitattributes", "* filter=x\n");
      commitAll(world.repo, "attributes");
      plain(world.repo, "config", "filter.x.smudge", `touch ${world.marker}; tr a-z A-Z`);
    },
    control: checkout,
  },
  "pull-post-checkout": {
    prepare: (world) => writeScript(join(world.repo, ".git/hooks/post-checkout"), `touch ${world.marker}`),
    control: checkout,
  },
  "pull-bundle-uri": {
    prepare: (world) => void plain(world.repo, "config", "fetch.bundleURI", `file://${world.out}/bundle`),
  },
};
