// T09: no UNIX socket of the host is reached, and no host without a grant.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { startHelper } from "../fixtures/helper.ts";
import { bare, PERL, perl, until } from "../fixtures/run.ts";

/** A server that writes down whatever reaches it. */
const server = (
  address: string,
  type: string,
) => `use Socket; $| = 1; socket(my $s, PF_UNIX, ${type}, 0) or die; bind($s, ${address}) or die "$!"; listen($s, 5); print "ready\\n";
  while (1) { if (${type} == SOCK_STREAM) { accept(my $c, $s); print "reached\\n" } else { recv($s, my $m, 99, 0); print "reached\\n" } }`;

const ways: Readonly<Record<string, (address: string) => string>> = {
  "by a stream": (to) => `use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, ${to}) && print "sent"`,
  "by a datagram": (to) => `use Socket; socket(S, PF_UNIX, SOCK_DGRAM, 0) && send(S, "x", 0, ${to}) && print "sent"`,
  "by one end of a pair": (to) =>
    `use Socket; socketpair(A, B, PF_UNIX, SOCK_DGRAM, 0) && send(A, "x", 0, ${to}) && print "sent"`,
  "by one end of a pair that is connected anew": (to) =>
    `use Socket; socketpair(A, B, PF_UNIX, SOCK_RAW, 0) && connect(A, ${to}) && syswrite(A, "x") && print "sent"`,
};

for (const kind of ["abstract", "in a granted directory"]) {
  for (const [way, program] of Object.entries(ways)) {
    test(`a socket of the host that is ${kind} is not reached ${way}`, async (t) => {
      const directories = makeTestDirectories();
      mkdirSync(`${directories.root}/s`);
      const address =
        kind === "abstract"
          ? `pack("S a*", 1, "\\0sallyport-${process.pid}-${way.length}")`
          : `sockaddr_un("${directories.root}/s/socket")`;
      const helper = await startHelper([
        PERL,
        "-e",
        server(address, way === "by a stream" ? "SOCK_STREAM" : "SOCK_DGRAM"),
      ]);
      t.after(() => (helper.stop(), directories.remove()));
      for (const network of [[], ["*"]]) {
        const gate = openGate(directories, { network });
        assert.equal((await perl(gate, program(address))).stdout, "", `network: ${JSON.stringify(network)}`);
        gate.close();
      }
      assert.equal(helper.output(), "ready\n");
      assert.equal(bare([PERL, "-e", program(address)]).stdout, "sent", "control: without us it is");
      await until("the server has seen the control", () => helper.output().includes("reached"));
    });
  }
}

test("a socket of the host in a granted directory is not reached if it was bound by a name from there", async (t) => {
  const directories = makeTestDirectories();
  mkdirSync(`${directories.root}/s`);
  const bindThere = `chdir("${directories.root}/s") or die; ${server('sockaddr_un("near")', "SOCK_STREAM")}`;
  const helper = await startHelper([PERL, "-e", bindThere]);
  t.after(() => (helper.stop(), directories.remove()));
  const program = ways["by a stream"]?.(`sockaddr_un("${directories.root}/s/near")`) ?? "";
  const gate = openGate(directories);
  assert.equal((await perl(gate, program)).stdout, "");
  gate.close();
  assert.equal(bare([PERL, "-e", program]).stdout, "sent", "control: without us it is");
  await until("the server has seen the control", () => helper.output().includes("reached"));
});

test("a socket that was bound by such a name, and from where no place is known, counts as in view", async (t) => {
  const directories = makeTestDirectories();
  for (const name of ["s", "elsewhere"]) mkdirSync(`${directories.root}/${name}`);
  const bindAndGo = `chdir("${directories.root}/s") or die; ${server('sockaddr_un("near")', "SOCK_STREAM").replace("listen(", `chdir("${directories.root}/elsewhere"); listen(`)}`;
  const helper = await startHelper([PERL, "-e", bindAndGo]);
  t.after(() => (helper.stop(), directories.remove()));
  const gate = openGate(directories);
  assert.equal((await perl(gate, ways["by a stream"]?.(`sockaddr_un("${directories.root}/s/near")`) ?? "")).stdout, "");
  gate.close();
});

test("no listener of the host is reached without a grant on the network", async (t) => {
  const directories = makeTestDirectories();
  let reached = 0;
  const listener = createServer((socket) => (reached++, socket.on("error", () => undefined).end()));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  t.after(() => (listener.close(), directories.remove()));
  const port = (listener.address() as { port: number }).port;
  const program = `use IO::Socket::INET; print IO::Socket::INET->new(PeerAddr => "127.0.0.1:${port}") ? "reached" : "no"`;
  const run = async (network: string[]) => {
    const gate = openGate(directories, { network });
    const { stdout } = await perl(gate, program);
    gate.close();
    return stdout;
  };
  assert.equal(await run([]), "no");
  assert.equal(reached, 0);
  assert.equal(await run(["*"]), "reached", "control: with a grant it is");
});
