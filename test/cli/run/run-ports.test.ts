// A server that a program of `sallyport run` has started is shown to the person.

import assert from "node:assert/strict";
import test from "node:test";
import { newCliUser } from "../../fixtures/cli.ts";
import { codeOf, fetchPage, forwardPort, listedPorts, serveInBox } from "../../fixtures/forwarded-port.ts";

test("a server of `sallyport run` is listed and forwarded, and the forward ends with it", async (t) => {
  const person = newCliUser(t, null);
  const box = await serveInBox(t, person, 18_085, { command: "run" });
  const [listed] = listedPorts(person);
  assert.deepEqual([listed?.session, listed?.tool, listed?.port], ["python3", "Run", 18_085]);
  const forward = await forwardPort(t, person, ["18085"]);
  assert.equal(await fetchPage(`${forward.url}run`), "inside /run");
  box.kill("SIGTERM");
  await codeOf(box);
  assert.equal(await codeOf(forward.process), 0, forward.said());
  assert.deepEqual(listedPorts(person), []);
});
