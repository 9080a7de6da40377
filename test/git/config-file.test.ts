// Our reading of git's configuration format against git's own: `git config --list` on the same bytes.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { type ConfigEntry, parseConfigFile, writeConfigEntry } from "../../src/git/config-file.ts";
import { git, plainGit } from "../fixtures/git.ts";
import { runs } from "../fixtures/runs.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-config-"));
after(() => rmSync(directory, { recursive: true, force: true }));

interface Listing {
  readonly entries: [string, string | null][];
  readonly isWhole: boolean;
}

function listByGit(text: string): Listing {
  const file = join(directory, "config");
  writeFileSync(file, text);
  const { exitCode, stdout } = plainGit(directory, ["config", "--no-includes", "-z", "--list", "--file", file]);
  const entries = stdout
    .split("\0")
    .slice(0, -1)
    .map((item): [string, string | null] => {
      const cut = item.indexOf("\n");
      return cut < 0 ? [item, null] : [item.slice(0, cut), item.slice(cut + 1)];
    });
  return { entries, isWhole: exitCode === 0 };
}

function listByUs(text: string): [string, string | null][] {
  return parseConfigFile(text).map(({ section, subsection, key, value }) => [
    [section, ...(subsection === null ? [] : [subsection]), key].join("."),
    value,
  ]);
}

// Before 2.45, git made every blank inside an unquoted value a space.
const [, major, minor] = /(\d+)\.(\d+)/.exec(git(directory, ["--version"])) as RegExpExecArray;
const keepsBlanks = Number(major) > 2 || Number(minor) >= 45;

/** A key before the first section has no dot in front for git. */
function comparable(entries: readonly [string, string | null][]): [string, string | null][] {
  return entries.map(([name, value]) => [
    name.replace(/^\.(?=[^.]*$)/, ""),
    keepsBlanks ? value : (value?.replace(/[\t\r]/g, " ") ?? null),
  ]);
}

function assertSame(text: string): Listing {
  const listing = listByGit(text);
  assert.deepEqual(comparable(listByUs(text)), comparable(listing.entries), JSON.stringify(text));
  return listing;
}

const table: [string, [string, string | null][]][] = [
  ["[core]\n\tbare = false\n", [["core.bare", "false"]]],
  ["[CORE]\nFileMode=TRUE", [["core.filemode", "TRUE"]]],
  ["\ufeff[core]\nbare\n", [["core.bare", null]]],
  ["[core] bare = true ; comment\n# more\n", [["core.bare", "true"]]],
  ['[branch "Feat/X \\"q\\" \\\\ ]"]\n merge = refs/heads/x', [['branch.Feat/X "q" \\ ].merge', "refs/heads/x"]]],
  ["[branch.Main]\nremote = .\n", [["branch.main.remote", "."]]],
  ['[a.B "C"]\nk = 1\n', [["a.b.C.k", "1"]]],
  [
    '[x]\nv = "  kept  " # not this\nw = a "b;c" \\"d\\" \\\\ \\t\\n\\b.\n',
    [
      ["x.v", "  kept  "],
      ["x.w", 'a b;c "d" \\ \t\n\b.'],
    ],
  ],
  [
    "[x]\r\nv = one \\\r\n two\r\nw =\r\n",
    [
      ["x.v", "one  two"],
      ["x.w", ""],
    ],
  ],
  [
    "[x]\nv = one\nv = two\nv\n",
    [
      ["x.v", "one"],
      ["x.v", "two"],
      ["x.v", null],
    ],
  ],
  ["[x]\nv = a\\", [["x.v", "a"]]],
  ['[x]\nv = ""   b\n', [["x.v", "b"]]],
  [
    "top = 1\n[x]\nv = 2\n",
    [
      [".top", "1"],
      ["x.v", "2"],
    ],
  ],
];

for (const [text, expected] of table) {
  test(`reads ${JSON.stringify(text)} as git does`, () => {
    assert.deepEqual(listByUs(text), expected);
    assert.ok(assertSame(text).isWhole, "git takes this file");
  });
}

const broken = [
  "[x]\na = 1\nb = \\q\nc = 2\n",
  '[x]\na = 1\nb = "open\nc = 2\n',
  "[x]\na = 1\nb # c\nc = 2\n",
  '[x "y]\na = 1\n',
  "[x]\na = 1\n[y z]\nb = 2\n",
  "[x]\na = 1\n1b = 2\n",
  "[x]\na = 1\nä = 2\n",
];

for (const text of broken) {
  test(`what git cannot read ends the reading: ${JSON.stringify(text)}`, () => {
    assert.equal(assertSame(text).isWhole, false);
  });
}

test("any soup of the format's pieces is read as git reads it, to the same end", () => {
  const pieces = fc.constantFrom(
    "[core]",
    "[Branch.Main]",
    '[branch "',
    '"]',
    "[",
    "]",
    '"',
    '"',
    "\\",
    "\\n",
    '\\"',
    "\\\\",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "#",
    ";",
    "=",
    " = ",
    "key",
    "Key-2",
    "a",
    "B",
    "9",
    ".",
    "-",
    "ü",
    "日",
    "\u200d",
    "\v",
    "\f",
    "include",
    "path",
    "\ufeff",
  );
  const soup = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));
  const headed = soup.map((text) => `[core]\n\tx = ${text}\n\ty = 1\n`);
  let whole = 0;
  fc.assert(
    fc.property(fc.oneof(soup, headed), (text) => {
      if (assertSame(text).isWhole) whole += 1;
    }),
    { numRuns: runs(500) },
  );
  assert.ok(whole > 30, `only ${whole} files were readable: the pieces are wrong`);
});

const entry: fc.Arbitrary<ConfigEntry> = fc.record(
  {
    section: fc.constantFrom("core", "branch", "diff", "x-1"),
    subsection: fc.option(
      fc.string({ unit: fc.constantFrom("a", "Z", ".", " ", "/", '"', "\\", "]", "#", "ü", "\r", "\t") }),
    ),
    key: fc.constantFrom("a", "merge", "x9-y"),
    value: fc.option(
      fc.string({
        unit: fc.constantFrom("a", "Z", " ", '"', "\\", "#", ";", "=", "\n", "\t", "\b", "\r", "日", "[", "]"),
      }),
    ),
  },
  { noNullPrototype: true },
);

test("what is written is read back, by git and by us", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
      const text = entries.map(writeConfigEntry).join("");
      assert.deepEqual(parseConfigFile(text), entries);
      const expected = entries.map(({ section, subsection, key, value }) => [
        [section, ...(subsection === null ? [] : [subsection]), key].join("."),
        value,
      ]);
      assert.deepEqual(listByGit(text), { entries: expected, isWhole: true });
    }),
    { numRuns: runs(150) },
  );
});

test("a file of a megabyte is read once, not once a line", () => {
  const lines = 60_000;
  const entries = parseConfigFile(`[x]\n${"key = value\n".repeat(lines)}`);
  assert.equal(entries.length, lines);
  const value = "a ".repeat(500_000);
  assert.equal(parseConfigFile(`[x]\nkey = ${value}x`)[0]?.value, `${value}x`);
});
