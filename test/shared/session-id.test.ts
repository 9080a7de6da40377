import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { sessionName } from "../../src/mcp/sessions.ts";
import { defaultSession } from "../../src/runtime/session.ts";
import { parseSessionName, sessionKey } from "../../src/shared/session-id.ts";
import { runs } from "../fixtures/runs.ts";

/** Any JavaScript text, halves of surrogate pairs, quotes, dashes and prefixes of ours included. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom("a", "A", "-", ":", ".", "~", '"', ",", "[", "]", "\\", "/", "\0", "\ud800", "é", "é"),
    maxLength: 6,
  }),
  fc.constantFrom("http-", "http:", "http:x", "default", "s-"),
);

// SECURITY(T43)
test("two different pairs of agent and name never have the same key", () => {
  const pair = fc.record({ agent: anyText, name: anyText });
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      const isSame = one.agent === other.agent && one.name === other.name;
      assert.equal(sessionKey(one) === sessionKey(other), isSame);
      // As a store keeps it: UTF-8.
      assert.equal(Buffer.from(sessionKey(one)).equals(Buffer.from(sessionKey(other))), isSame);
    }),
    { numRuns: runs(2_000) },
  );
});

const agentName = fc.string({ unit: fc.constantFrom("a", "b", "A", "-", "_"), minLength: 1, maxLength: 5 });
const urlName = fc.string({ unit: fc.constantFrom("a", "b", "-", ".", "_", "0"), minLength: 1, maxLength: 5 });

/** How a surface names a session: what it was given, and what the store has. */
const surfaces = fc.oneof(
  fc.record({ agent: agentName, given: anyText }).map(({ agent, given }) => {
    const parsed = parseSessionName(given);
    return { given: JSON.stringify(["name", agent, given]), agent, name: parsed.ok ? parsed.value : null };
  }),
  fc.record({ agent: agentName, given: urlName, worker: fc.constantFrom(null, "0a", "0b") }).map((one) => {
    const request = new Request(`http://127.0.0.1/mcp?session=${one.given}`);
    return { given: JSON.stringify(["client", one]), agent: one.agent, name: sessionName(request, "any", one.worker) };
  }),
  fc.record({ agent: agentName, client: anyText, worker: fc.constantFrom(null, "0a") }).map((one) => {
    const name = sessionName(undefined, one.client, one.worker);
    // What cannot be said in UTF-8 is the same client: no client can send it.
    const client = one.client.toWellFormed();
    return { given: JSON.stringify(["self", { ...one, client }]), agent: one.agent, name };
  }),
  fc.record({ agent: agentName, project: fc.constantFrom("/a", "/b", "/a/b") }).map(({ agent, project }) => {
    return { given: JSON.stringify(["default", agent, project]), agent, name: defaultSession(project, agent) };
  }),
);

test("no two agents, names and surfaces give the same stored session", () => {
  fc.assert(
    fc.property(fc.array(surfaces, { minLength: 2, maxLength: 30 }), (all) => {
      const byKey = new Map<string, string>();
      for (const { given, agent, name } of all) {
        if (name === null) continue;
        const key = sessionKey({ agent, name });
        assert.equal(byKey.get(key) ?? given, given);
        byKey.set(key, given);
      }
    }),
    { numRuns: runs(500) },
  );
});

test("what is no name of a session is said; what is unusual but plain is one", () => {
  for (const text of ["", "a\nb", "\0", "\ud800", "x".repeat(201), "http:x", "http:"])
    assert.equal(parseSessionName(text).ok, false, JSON.stringify(text));
  for (const text of ["a", "A", "http-x", "a/b", "../x", "Ä ö", "__proto__", "x".repeat(200)])
    assert.equal(parseSessionName(text).ok, true, text);
});
