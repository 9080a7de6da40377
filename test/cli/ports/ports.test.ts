// `sallyport ports`: servers in boxes are listed, and one is shown to the person until its box ends.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { ownPorts } from "../../../src/process/own-ports.ts";
import { newCliUser } from "../../fixtures/cli.ts";
import { codeOf, fetchPage, forwardPort, listedPorts, serveInBox } from "../../fixtures/forwarded-port.ts";
import { until } from "../../fixtures/run.ts";

test("a server in a box is listed and forwarded, and both end with the box", async (t) => {
  const person = newCliUser(t);
  assert.match(person.run(["ports"]).out, /^No program listens in a box now\.$/m);
  const box = await serveInBox(t, person, 18_080);
  const [listed] = listedPorts(person);
  assert.deepEqual([listed?.tool, listed?.port], ["Exec", 18_080]);
  const table = person.run(["ports"]).out;
  assert.match(table, new RegExp(`${listed?.call.slice(0, 8)} +18080 `));
  assert.match(table, /ports forward PORT CALL/);

  const forward = await forwardPort(t, person, ["18080"]);
  assert.match(forward.address, /^127\./);
  const paths = ["one", "two", "three"];
  const pages = await Promise.all(paths.map((path) => fetchPage(`${forward.url}${path}`)));
  assert.deepEqual(pages, ["inside /one", "inside /two", "inside /three"]);
  assert.match(forward.said(), /In your browser it reaches the internet/);
  assert.ok(ownPorts().has(forward.port));

  box.kill("SIGTERM");
  await codeOf(box);
  assert.equal(await codeOf(forward.process), 0, forward.said());
  assert.equal(await fetchPage(forward.url), "ECONNREFUSED");
  assert.deepEqual(listedPorts(person), []);
  assert.ok(!ownPorts().has(forward.port));
  assert.deepEqual(readdirSync(join(person.state, "boxes")), []);
});

test("a server that listens on ::1 alone is reached, at the port that was chosen", async (t) => {
  const person = newCliUser(t);
  await serveInBox(t, person, 18_081, { host: "::1" });
  const [listed] = listedPorts(person);
  const free = await freePort();
  const forward = await forwardPort(t, person, ["18081", listed?.call.slice(0, 6) ?? "", "--port", String(free)]);
  assert.equal(forward.port, free);
  assert.equal(await fetchPage(`${forward.url}six`), "inside /six");
  forward.process.kill("SIGINT");
  assert.equal(await codeOf(forward.process), 0, forward.said());
  assert.equal(await fetchPage(forward.url), "ECONNREFUSED");
  assert.equal(listedPorts(person).length, 1, "the box runs on");
});

test("what cannot be forwarded is refused, and says what would", async (t) => {
  const person = newCliUser(t);
  const none = person.run(["ports", "forward", "18082"]);
  assert.equal(none.code, 1);
  assert.match(none.err, /PORT: no program in a box listens on 18082\./);
  assert.equal(person.run(["ports", "forward", "70000"]).code, 2);
  assert.equal(person.run(["ports", "forward"]).code, 2);

  await serveInBox(t, person, 18_082);
  const other = person.run(["ports", "forward", "18083"]);
  assert.match(other.err, /listens on 18083, but on 18082/);
  assert.match(person.run(["ports", "forward", "18082", "zz"]).err, /CALL: no running call begins with zz/);
  const gates = person.run(["ports", "forward", "443"]);
  assert.match(gates.err, /no program in a box listens on 443/, "the gate listens there");

  const taken = createServer().listen(0, "0.0.0.0");
  await new Promise((resolve) => taken.once("listening", resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  const refused = person.runProcess(["ports", "forward", "18082", "--port", String(port)]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, new RegExp(`cannot listen on port ${port}: EADDRINUSE`));
  assert.match(refused.err, /--port/);
});

test("boxes of a gate that was killed are not listed", async (t) => {
  const person = newCliUser(t);
  const box = await serveInBox(t, person, 18_084);
  box.kill("SIGKILL");
  await codeOf(box);
  await until("it is taken off the list", () => {
    assert.ok(listedPorts(person).length <= 1);
    return readdirSync(join(person.state, "boxes")).length === 0;
  });
  assert.deepEqual(listedPorts(person), []);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
