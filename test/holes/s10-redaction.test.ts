// Secrets in the formats in which they are written, in every place of a call, are not in what is written down; and
// ordinary lines are in it as they were.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { describe } from "node:test";
import { redact } from "../../src/audit/redact.ts";
import { redactText } from "../../src/audit/redact-text.ts";
import type { Json } from "../../src/shared/json.ts";
import { plain, type SecretFormat, secretFormats } from "../audit/secret-formats.ts";
import { argvOf, secretPlaces } from "../audit/secret-places.ts";

/** The whole, its end, or a line of it. */
function holds(value: Json, { secret }: SecretFormat): boolean {
  const text = JSON.stringify(value);
  const pieces = [secret, secret.slice(-10), secret.split("\n")[1] ?? secret];
  return pieces.some((piece) => text.includes(JSON.stringify(piece).slice(1, -1)));
}

describe("secrets", () => {
  test("there are enough formats, each once and in eight places, and each place does hold the secret", () => {
    assert.ok(secretFormats.length >= 185);
    assert.equal(new Set(secretFormats.map(({ text }) => text)).size, secretFormats.length);
    assert.equal(Object.keys(secretPlaces).length, 8);
    for (const format of secretFormats)
      for (const put of Object.values(secretPlaces)) assert.ok(holds(put(format), format), format.name);
  });

  for (const [place, put] of Object.entries(secretPlaces)) {
    test(`no format comes through in: ${place}`, () => {
      const missed = secretFormats.filter((format) => holds(redact(put(format)), format));
      assert.deepEqual(
        missed.map(({ name }) => name),
        [],
      );
    });
  }

  // The rules are about the formats, not about this one value.
  for (const other of ["hunter2", "S3CRETTOKEN", "s3cr3t_v4lu3", ["CANARY", "9f8e7d6c5b"].join("-")]) {
    test(`the same with ${other}`, () => {
      const formats = secretFormats
        .filter(({ secret }) => secret === plain)
        .map((format) => ({ ...format, text: format.text.replaceAll(plain, other), secret: other }));
      const missed = Object.entries(secretPlaces).flatMap(([place, put]) =>
        formats
          .filter((format) => JSON.stringify(redact(put(format))).includes(other))
          .map(({ text }) => `${place}: ${text}`),
      );
      assert.deepEqual(missed, []);
    });
  }

  test("what a command reads as a secret is taken out of its standard input", () => {
    const stdin = `${plain}\n`;
    for (const call of [
      { script: "docker login -u me --password-stdin registry.example", stdin },
      { command: "gh auth login --with-token", stdin },
      { argv: ["/usr/sbin/chpasswd"], stdin: `root:${plain}\n` },
      { script: `chpasswd <<'EOF'\nroot:${plain}\nEOF\n` },
    ])
      assert.ok(!JSON.stringify(redact(call)).includes(plain), JSON.stringify(call));
    const plainCall = { script: "cat > a", stdin: "some words\n" };
    assert.deepEqual(redact(plainCall), plainCall);
  });
});

describe("ordinary lines", () => {
  const lines = readFileSync(new URL("../audit/ordinary-lines.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");

  test("there are at least 500, each once", () => {
    assert.ok(lines.length >= 500);
    assert.equal(new Set(lines).size, lines.length);
  });

  for (const [place, put] of Object.entries<(line: string) => Json>({
    "a text": (line) => line,
    "a script": (line) => ({ script: `set -e\n${line}\necho done` }),
    "a file": (line) => ({ content: `first\n  ${line}\nlast\n` }),
    "a message": (line) => ({ message: `docs: say more\n\n${line}\n` }),
    "an environment": (line) => ({ env: { NOTE: line } }),
  })) {
    test(`none is touched in ${place}`, () => {
      for (const line of lines) assert.deepEqual(redact(put(line)), put(line));
    });
  }

  test("none is touched as the words of a command", () => {
    // Code and shell syntax make no sense word by word.
    for (const line of lines.filter((text) => !/[(){}<>|;]/.test(text)))
      assert.deepEqual(redact({ argv: argvOf(line) }), { argv: argvOf(line) });
  });

  test("nor all of them together, but the values beside their names", () => {
    const text = lines.join("\n");
    assert.equal(redactText(text), text);
  });
});
