// T67: somebody else than the person reaches a server in a box through the port that is forwarded to the person.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import test, { type TestContext } from "node:test";
import { newCliUser } from "../fixtures/cli.ts";
import { fetchPage, forwardPort, serveInBox } from "../fixtures/forwarded-port.ts";
import { isRoot } from "../fixtures/run.ts";

const talk = (host: string, port: number): string =>
  `use IO::Socket::INET; my $s = IO::Socket::INET->new(PeerAddr => "${host}", PeerPort => ${port}) or die "no"; ` +
  String.raw`print $s "GET / HTTP/1.0\r\n\r\n"; print while <$s>;`;

/** What perl prints. */
async function output(script: string, user: { readonly uid?: number; readonly gid?: number } = {}): Promise<string> {
  return await outputOf(spawn("/usr/bin/perl", ["-e", script], { ...user, stdio: ["ignore", "pipe", "ignore"] }));
}

async function outputOf(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  return text;
}

/** A server of the machine at the same address, for the control. */
async function plainServer(t: TestContext, address: string): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => undefined).end("plain\n")).listen(0, address);
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("another user of the machine is refused", { skip: !isRoot && "only root can be another user" }, async (t) => {
  const person = newCliUser(t);
  await serveInBox(t, person, 18_090);
  const forward = await forwardPort(t, person, ["18090"]);
  const asOther = (port: number) => output(talk(forward.address, port), { uid: 65_534, gid: 65_534 });
  assert.equal(await asOther(await plainServer(t, forward.address)), "plain\n", "the control");
  assert.equal(await asOther(forward.port), "");
  assert.equal(await fetchPage(`${forward.url}mine`), "inside /mine", "the person's own");
});

test("it has one loopback address, which nobody can guess, and no other", async (t) => {
  const person = newCliUser(t);
  await serveInBox(t, person, 18_091);
  const forward = await forwardPort(t, person, ["18091"]);
  const again = await forwardPort(t, person, ["18091"]);
  assert.notEqual(forward.address, again.address);
  const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const addresses = [
    "127.0.0.1",
    "[::1]",
    ...others.filter(({ family }) => family === "IPv4").map(({ address }) => address),
  ];
  for (const address of addresses)
    assert.equal(await fetchPage(`http://${address}:${forward.port}/`), "ECONNREFUSED", address);
  assert.equal(await fetchPage(forward.url), "inside /");
});

test("a box does not reach it, even if its agent was granted the address", async (t) => {
  const person = newCliUser(t);
  await serveInBox(t, person, 18_092);
  const forward = await forwardPort(t, person, ["18092"]);
  const plain = await plainServer(t, forward.address);
  const fromBox = async (port: number): Promise<string> => {
    writeFileSync(
      person.configFile,
      `version: 1\nworkspace: { kind: memory }\nagents:\n  default:\n    tool_grants: [Exec]\n    fs_grants: [{ path: /usr, mode: r }]\n` +
        `    net_grants: ["${forward.address}:${port}"]\n`,
    );
    return await outputOf(person.start(["exec", "--", "/usr/bin/perl", "-e", talk(forward.address, port)]));
  };
  assert.equal(await fromBox(plain), "plain\n", "the control");
  assert.equal(await fromBox(forward.port), "");
  assert.match(await output(talk(forward.address, forward.port)), /inside \/$/, "the control: without the gate");
});
