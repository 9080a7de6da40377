// What a session is called where nobody has named it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { sessionName } from "../../src/mcp/sessions.ts";
import { defaultSession } from "../../src/runtime/session.ts";
import { sessionTitle } from "../../src/approval/session-title.ts";

const place = { agent: "default", project: "/home/ana/shop" };
const claims = { claimedBy: "claude-code 2.1.197" };

test("a random name becomes the client, the project and the beginning of the name", () => {
  for (const session of [
    `s-${randomUUID()}`,
    defaultSession("/home/ana/shop", "default"),
    sessionName(undefined, "claude-code", null) ?? "",
    sessionName(undefined, "claude-code", "tests") ?? "",
  ]) {
    const id = /[0-9a-f]{6}/.exec(session.replace(/^\w+-/, ""))?.[0];
    assert.equal(sessionTitle({ ...place, ...claims, session }), `claude-code shop ${id}`, session);
    assert.equal(sessionTitle({ ...place, session }), `default shop ${id}`, "without a client it is the agent");
  }
});

test("a name that somebody chose stays", () => {
  const asked = new Request("http://127.0.0.1/mcp?session=work");
  for (const session of ["work", "claude", "s-1", "default-shop", "s-abcdef", sessionName(asked, "any", null) ?? ""])
    assert.equal(sessionTitle({ ...place, ...claims, session }), undefined, session);
});

test("what a client calls itself does not make the name long, and a name that is only a version leaves the rest", () => {
  const session = `s-${randomUUID()}`;
  const long = sessionTitle({ agent: "a", project: `/${"p".repeat(500)}`, session, claimedBy: "x".repeat(10_000) });
  assert.equal(long?.length, 40 + 1 + 60 + 1 + 6);
  assert.match(sessionTitle({ ...place, session, claimedBy: " 2.0" }) ?? "", /^shop [0-9a-f]{6}$/);
});
