// S12: a message with a line `Sallyport\u2010Agent: x` was taken: with another hyphen it reads as the line that the gate adds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { landedMessage } from "../../src/git/publish/commit.ts";

const imitations = [
  "Sallyport-Agent: x",
  "sallyport-agent : x",
  "Sallyport\u2010Agent: x",
  "Sallyport\u2011Agent: x",
  "Sallyport\u2013Agent: x",
  "Sallyport\u2212Agent: x",
  "Sallyport\u00adAgent: x",
  "Sallyport\ufe63Agent: x",
  "Sallyport-Agent\uff1a x",
  "Sallyport-Agent\u2236 x",
  "Sally\u200bport-Agent: x",
  "\u2060Sallyport-Agent: x",
  "S\u0430llyport-Agent: x",
  "\u0405allyp\u043ert-\u0410g\u0435nt: x",
  "SallyP\u03bfrt-Agent: x",
  "\uff33\uff41\uff4c\uff4c\uff59\uff50\uff4f\uff52\uff54-Agent: x",
  "Sallyport-\u00c1gent: x",
  "\u{1d412}allyport-Agent: x",
  "Sa11yp0rt-Agent: x",
];

test("a line that reads as the one that names the agent is refused, whatever it is spelled with", () => {
  for (const line of imitations)
    for (const message of [line, `A change\n\n${line}\n`, `A change\u2028${line}`]) {
      const landed = landedMessage(message, "dev");
      assert.ok(!landed.ok, JSON.stringify(message));
      assert.equal(landed.failure.error, "invalid_args");
    }
});

test("what only speaks of it, and other trailers in any script, stay", () => {
  for (const message of [
    "Explain the Sallyport-Agent: line",
    "Sallyport-Agents: many",
    "sallyport agent",
    "Co-authored-by: A <a@b>",
    "Zusammenh\u00e4nge: gekl\u00e4rt",
    "\u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\u0435-\u043e\u0442\u0432\u0435\u0442: \u0434\u0430",
    "Reviewed\u2010by: A",
  ])
    assert.ok(landedMessage(message, "dev").ok, message);
});

test("control: git itself takes such a line for text, and shows it as it is", () => {
  const landed = landedMessage("A change", "dev");
  assert.ok(landed.ok);
  assert.equal(landed.value, "A change\n\nSallyport-Agent: dev\n");
  assert.doesNotMatch(landed.value, /\u2010/);
});
