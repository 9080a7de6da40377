// Network: none unless granted, and never a UNIX socket of the host.

import assert from "node:assert/strict";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { after, before, describe, test } from "node:test";
import { bash, PERL, perl } from "../../fixtures/run.ts";
import { type Helper, startHelper } from "../../fixtures/helper.ts";
import { type ContractContext, usePlace } from "./context.ts";

const connect = (port: number) => `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`;

/** Connects by stream, and sends a datagram from each kind of socket that a program might get. */
const reach = (address: string) => `use Socket; my $to = ${address};
  if (socket(my $s, PF_UNIX, SOCK_STREAM, 0)) { print "reached\\n" if connect($s, $to) }
  if (socket(my $d, PF_UNIX, SOCK_DGRAM, 0)) { print "reached\\n" if send($d, "x", 0, $to) }
  for my $type (SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_STREAM) {
    if (socketpair(my $a, my $b, PF_UNIX, $type, 0)) { print "reached\\n" if send($a, "x", 0, $to) && $type == SOCK_DGRAM; print "reached\\n" if connect($a, $to) } }`;
const pathOf = (path: string) => `sockaddr_un("${path}")`;
const abstractOf = (name: string) => `pack("S a*", 1, "\\0${name}")`;

const serve = (address: string, type: string) => [
  PERL,
  "-e",
  `use Socket; socket(my $s, PF_UNIX, ${type}, 0) or die; bind($s, ${address}) or die "$!"; listen($s, 5); $| = 1; print "ready\\n"; sleep 1000`,
];

export function describeNetwork(name: string, context: ContractContext): void {
  describe(`${name}: network`, () => {
    const directories = usePlace();
    const helpers: Helper[] = [];
    let server: Server;
    let port = 0;
    before(async () => {
      server = createServer((socket) => void socket.on("error", () => undefined).end("hello")); // the other end just goes
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      port = (server.address() as { port: number }).port;
    });
    after(() => {
      server.close();
      for (const helper of helpers) helper.stop();
    });
    const withSocket = async (address: string, type = "SOCK_STREAM") =>
      helpers.push(await startHelper(serve(address, type)));
    const withGate = async (
      grants: Parameters<ContractContext["openGate"]>[1],
      work: (gate: ReturnType<ContractContext["openGate"]>) => Promise<void>,
    ) => {
      const gate = context.openGate(directories, grants);
      try {
        await work(gate);
      } finally {
        gate.close();
      }
    };
    const paths = (...more: { path: string; mode: "r" | "rw" }[]) => ({
      paths: [{ path: "/usr", mode: "r" as const }, ...more],
    });

    test("none: a listener on the host's loopback is out of reach, and there is only a loopback of its own", async () => {
      await withGate(paths(), async (gate) => {
        assert.equal((await bash(gate, connect(port))).stdout, "");
        assert.deepEqual((await bash(gate, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).stdout, "lo\n");
      });
    });

    test("none: a program's own loopback works", async () => {
      const talk = `use IO::Socket::INET; my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:0") or die "$!";
        if (!fork) { my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1:" . $s->sockport) or die; print $c "hello\\n"; exit } my $a = $s->accept; print scalar <$a>; wait`;
      await withGate(paths(), async (gate) => assert.equal((await perl(gate, talk)).stdout, "hello\n"));
    });

    test("granted: the host's loopback is reachable", async () => {
      await withGate({ ...paths(), network: ["*"] }, async (gate) => {
        const result = await bash(gate, connect(port));
        assert.equal(result.stdout, "connected\n", result.stderr);
        assert.equal(result.enforced.network, "no");
      });
    });

    for (const type of ["SOCK_STREAM", "SOCK_DGRAM"]) {
      test(`no abstract UNIX socket of the host, with and without network: ${type}`, async () => {
        const abstract = abstractOf(`sallyport-${process.pid}-${type}`);
        await withSocket(abstract, type);
        for (const network of [[], ["*"]])
          await withGate({ ...paths(), network }, async (gate) =>
            assert.equal((await perl(gate, reach(abstract))).stdout, ""),
          );
      });

      test(`no UNIX socket of the host in a granted directory, r or rw: ${type}`, async () => {
        const directory = `${directories.base}/sockets-${type}`;
        mkdirSync(directory);
        await withSocket(pathOf(`${directory}/s`), type);
        for (const mode of ["r", "rw"] as const) {
          await withGate(paths({ path: directory, mode }), async (gate) =>
            assert.equal((await perl(gate, reach(pathOf(`${directory}/s`)))).stdout, ""),
          );
        }
      });
    }

    test("no UNIX socket of the host that was bound under another name of its directory", async () => {
      mkdirSync(`${directories.base}/run`);
      symlinkSync(`${directories.base}/run`, `${directories.base}/var-run`);
      await withSocket(pathOf(`${directories.base}/var-run/s`));
      await withGate(paths({ path: `${directories.base}/run`, mode: "r" }), async (gate) =>
        assert.equal((await perl(gate, reach(pathOf(`${directories.base}/run/s`)))).stdout, ""),
      );
    });

    test("where no socket of the host is in view, a program's own UNIX sockets work", async () => {
      const own = `use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "$!"; bind($s, sockaddr_un("/tmp/own")) or die; listen($s, 1);
        if (!fork) { socket(my $c, PF_UNIX, SOCK_STREAM, 0); connect($c, sockaddr_un("/tmp/own")) or die; syswrite $c, "hello"; exit } accept(my $a, $s); print <$a>; wait`;
      await withGate(paths(), async (gate) => assert.equal((await perl(gate, own)).stdout, "hello"));
    });

    test("connected pairs work everywhere", async () => {
      const pair =
        'use Socket; socketpair(my $a, my $b, PF_UNIX, SOCK_STREAM, 0) or die "$!"; syswrite $a, "hello"; close $a; print <$b>';
      for (const network of [[], ["*"]])
        await withGate({ ...paths(), network }, async (gate) => assert.equal((await perl(gate, pair)).stdout, "hello"));
    });

    // What is known and said in THREAT_MODEL.md: the kernel tells names as they were when the socket was bound.
    test("a socket that was moved into a granted directory is not seen, as the threat model says", async () => {
      mkdirSync(`${directories.base}/before`);
      mkdirSync(`${directories.base}/after`);
      await withSocket(pathOf(`${directories.base}/before/s`));
      renameSync(`${directories.base}/before/s`, `${directories.base}/after/s`);
      await withGate(paths({ path: `${directories.base}/after`, mode: "r" }), async (gate) =>
        assert.notEqual((await perl(gate, reach(pathOf(`${directories.base}/after/s`)))).stdout, ""),
      );
    });
  });
}
