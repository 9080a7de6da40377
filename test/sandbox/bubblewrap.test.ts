import assert from "node:assert/strict";
import test from "node:test";
import type { Confinement, Mount } from "../../src/process/launch.ts";
import { bubblewrapArguments } from "../../src/sandbox/bubblewrap.ts";

const limits = { memoryBytes: 1, fsizeBytes: 1, nofile: 1, nproc: 1, cpuS: 1 };

function words(confinement: Partial<Confinement> = {}, sourceFds = new Map<Mount, number>()): string[] {
  return bubblewrapArguments({
    confinement: {
      mounts: [],
      overlay: null,
      layers: [],
      draft: null,
      network: "none",
      unixSockets: false,
      limits,
      ...confinement,
    },
    cwd: "/tmp",
    initPath: "/state/init",
    initArguments: ["4", "--", "/bin/true"],
    seccompFd: 7,
    statusFd: 3,
    sourceFds,
  });
}

test("every box has all of these, whatever is in it", () => {
  const always = [
    "--unshare-user",
    "--disable-userns",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--new-session",
    "--as-pid-1",
    "--seccomp",
  ];
  for (const network of ["none", "host"] as const)
    for (const word of always) assert.ok(words({ network }).includes(word), word);
  assert.deepEqual(words().slice(words().indexOf("--cap-drop")).slice(0, 2), ["--cap-drop", "ALL"]);
});

test("only a grant on the network leaves the namespace of its own out", () => {
  assert.ok(words().includes("--unshare-net"));
  assert.ok(!words({ network: "host" }).includes("--unshare-net"));
});

test("the root and /dev are made read-only after everything is in them", () => {
  const all = words({
    mounts: [
      { kind: "dev", shmBytes: 1 },
      { kind: "bind", source: "/a", target: "/a", writable: true },
    ],
  });
  const last = all.lastIndexOf("--bind");
  for (const path of ["/", "/dev"])
    assert.ok(all.findIndex((word, index) => word === "--remount-ro" && all[index + 1] === path) > last, path);
});

test("what is pinned is bound by its own descriptor, the rest by its path", () => {
  const bind = (source: string, target: string, writable: boolean): Mount => ({
    kind: "bind",
    source,
    target,
    writable,
  });
  // The same source twice, because bubblewrap uses a descriptor up; the same target twice, because a later mount covers it.
  const first = bind("/one", "/one", true);
  const second = bind("/one", "/two", false);
  const cover = bind("/cover", "/one", false);
  const fds = new Map([
    [first, 9],
    [second, 10],
  ]);
  const all = words({ mounts: [first, second, cover] }, fds).join(" ");
  assert.match(all, /--bind-fd 9 \/one --ro-bind-fd 10 \/two --ro-bind \/cover \/one/);
});

test("nothing after the two dashes is bubblewrap's", () => {
  const all = words();
  assert.deepEqual(all.slice(all.indexOf("--")), ["--", "/dev/sallyport-init", "4", "--", "/bin/true"]);
});
