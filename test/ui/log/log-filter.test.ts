import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { filterQuery, isFiltered, noFilter, readFilter, recordTime, requestQuery } from "../../../ui/log/log-filter.ts";

test("a filter comes back from its address as it was", () => {
  const filter = { ...noFilter, text: "rm -rf & co=1", tool: "Bash", event: "tool.call.denied" as const, since: "24h" };
  assert.deepEqual(readFilter(filterQuery(filter)), filter);
  assert.equal(filterQuery(noFilter), "");
  assert.deepEqual(readFilter(""), noFilter);
});

test("whatever text, agent and session are, the address keeps them", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 100 });
  fc.assert(
    fc.property(text, text, text, (said, agent, session) => {
      const filter = { ...noFilter, text: said, agent, session };
      assert.deepEqual(readFilter(filterQuery(filter)), filter);
      assert.equal(isFiltered(filter), said + agent + session !== "");
    }),
  );
});

test("what an address cannot mean is left out", () => {
  assert.deepEqual(readFilter("event=nope&since=soon&until=2026-99-99&other=1"), noFilter);
  assert.equal(readFilter(`text=${"x".repeat(10_000)}`).text.length, 500);
});

test("the server is asked with the record's own times", () => {
  const now = Date.parse("2026-03-04T12:00:00Z");
  const filter = { ...noFilter, since: "24h", until: "2026-03-04T11:00" };
  const query = new URLSearchParams(requestQuery(filter, { before: 7, limit: 50 }, now));
  assert.equal(query.get("since"), "2026-03-03T12:00:00.000Z");
  assert.equal(query.get("until"), new Date("2026-03-04T11:00").toISOString());
  assert.deepEqual([query.get("before"), query.get("limit"), query.get("after")], ["7", "50", null]);
  assert.equal(recordTime("90m", now), "2026-03-04T10:30:00.000Z");
  assert.equal(recordTime("", now), null);
});
