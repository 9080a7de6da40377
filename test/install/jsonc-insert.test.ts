import assert from "node:assert/strict";
import test from "node:test";
import { runInNewContext } from "node:vm";
import fc from "../fixtures/fast-check.ts";
import { type InitNote, noteOf, withoutAdded } from "../../src/install/init-notes.ts";
import { insertJsonEntry, type JsonEntry, jsonSnippet, withoutJsonEntry } from "../../src/install/jsonc-insert.ts";
import { insertTomlTable } from "../../src/install/toml-insert.ts";
import { runs } from "../fixtures/runs.ts";

const entry: JsonEntry = { path: ["mcpServers"], name: "sallyport", value: { command: "sallyport", args: ["mcp"] } };

/** Comments and trailing commas are JavaScript, so a real parser of it reads them. */
function evaluate(text: string): unknown {
  return JSON.parse(JSON.stringify(runInNewContext(`(${text}\n)`)));
}

function added(text: string): string {
  const inserted = insertJsonEntry(text, entry);
  assert.equal(inserted.state, "added", JSON.stringify(inserted));
  return (inserted as { text: string }).text;
}

const one = '"sallyport": {\n      "command": "sallyport",\n      "args": ["mcp"]\n    }';
const cases: [name: string, before: string, after: string][] = [
  ["no text", "", jsonSnippet(entry)],
  ["blanks only", " \n", ` \n${jsonSnippet(entry)}`],
  ["an empty object", "{}", `{\n  "mcpServers": {\n    ${one}\n  }\n}`],
  ["an empty object on two lines", "{\n}\n", `{\n  "mcpServers": {\n    ${one}\n  }\n}\n`],
  ["another key", '{\n  "a": 1\n}\n', `{\n  "a": 1,\n  "mcpServers": {\n    ${one}\n  }\n}\n`],
  ["a trailing comma", '{\n  "a": 1,\n}\n', `{\n  "a": 1,\n  "mcpServers": {\n    ${one}\n  },\n}\n`],
  [
    "comments everywhere",
    '// top\n{\n  /* a */ "a": 1 // one\n  // last\n}\n// end\n',
    `// top\n{\n  /* a */ "a": 1, // one\n  // last\n  "mcpServers": {\n    ${one}\n  }\n}\n// end\n`,
  ],
  [
    "other servers",
    '{\n  "mcpServers": {\n    "x": { "command": "x" }\n  },\n  "z": 0\n}',
    `{\n  "mcpServers": {\n    "x": { "command": "x" },\n    ${one}\n  },\n  "z": 0\n}`,
  ],
  [
    "one line",
    '{"a":1,"mcpServers":{"x":{}}}',
    '{"a":1,"mcpServers":{"x":{}, "sallyport": { "command": "sallyport", "args": ["mcp"] }}}',
  ],
  [
    "a mark at the beginning",
    '\uFEFF{"a":1}',
    '\uFEFF{"a":1, "mcpServers": { "sallyport": { "command": "sallyport", "args": ["mcp"] } }}',
  ],
  [
    "CR LF and tabs",
    '{\r\n\t"a": 1\r\n}\r\n',
    '{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"sallyport": {\r\n\t\t\t"command": "sallyport",\r\n\t\t\t"args": ["mcp"]\r\n\t\t}\r\n\t}\r\n}\r\n',
  ],
  [
    "a text that looks like an end",
    '{\n  "a": "}, // \\" {",\n  "b": [1, 2, /* } */ 3]\n}',
    `{\n  "a": "}, // \\" {",\n  "b": [1, 2, /* } */ 3],\n  "mcpServers": {\n    ${one}\n  }\n}`,
  ],
];

for (const [name, before, after] of cases) {
  test(`an entry in a file with ${name}`, () => {
    assert.equal(added(before), after);
    const was = (before.trim() === "" ? {} : evaluate(before)) as { mcpServers?: object };
    assert.deepEqual(evaluate(after), { ...was, mcpServers: { ...was.mcpServers, sallyport: entry.value } });
    assert.equal(insertJsonEntry(after, entry).state, "present", "a second time");
    const taken = withoutJsonEntry(after, entry);
    assert.deepEqual(evaluate(taken as string), { ...was, mcpServers: { ...was.mcpServers } });
    const note = noteOf("f", before, after, []) as InitNote;
    assert.equal(withoutAdded(after, note), before, "with what was noted, the same bytes");
  });
}

test("what is there already is found, and what cannot be done surely is not done", () => {
  const states = (text: string) => {
    const inserted = insertJsonEntry(text, entry);
    return inserted.state === "impossible" ? inserted.reason : inserted.state;
  };
  assert.equal(states('{ "mcpServers": { "sallyport": null } }'), "present");
  assert.equal(states('{ "mcpServers": { "\\u0073allyport": 1 } }'), "present");
  assert.equal(states('{ "mcpServers": [] }'), "mcpServers is not an object");
  assert.equal(states("[]"), "the file is not an object");
  assert.equal(states('{ "mcpServers": {}, "mcpServers": {} }'), "mcpServers is written twice");
  assert.match(states('{ "a": 1 '), /^it is not JSON: line 1, column 10: /);
  assert.match(states('{\n  "a": tru\n}'), /^it is not JSON: line 2, column 8: /);
  assert.match(states("{ a: 1 }"), /^it is not JSON/);
  assert.match(states('{ "a": "x\ny" }'), /^it is not JSON/);
  assert.match(states('{ "a": 1, , }'), /^it is not JSON/);
  assert.match(states('{ "a": 1 } x'), /line 1, column 12: /);
  assert.match(states("/* x"), /UnexpectedEndOfComment/);
  assert.match(states(`{ "a": ${"[".repeat(5_000)}`), /nested too deeply/);
});

const item: JsonEntry = { path: ["permissions", "allow"], name: null, value: "mcp__sallyport" };

test("an item of a list: added at its end, found again, and taken out", () => {
  const cases: readonly (readonly [before: string, after: string])[] = [
    ["", '{\n  "permissions": {\n    "allow": ["mcp__sallyport"]\n  }\n}\n'],
    ['{ "permissions": { "allow": [] } }', '{ "permissions": { "allow": ["mcp__sallyport"] } }'],
    [
      '{\n  "permissions": {\n    "allow": [\n      "a" // mine\n    ]\n  }\n}',
      '{\n  "permissions": {\n    "allow": [\n      "a", // mine\n      "mcp__sallyport"\n    ]\n  }\n}',
    ],
    [
      '{\n  "permissions": { "allow": ["a",], "deny": [] }\n}',
      '{\n  "permissions": { "allow": ["a", "mcp__sallyport",], "deny": [] }\n}',
    ],
  ];
  for (const [before, after] of cases) {
    assert.deepEqual(insertJsonEntry(before, item), { state: "added", text: after });
    assert.deepEqual(insertJsonEntry(after, item), { state: "present", value: "mcp__sallyport" });
    assert.equal(withoutAdded(after, noteOf("f", before, after, []) as InitNote), before);
    const was = (before === "" ? {} : evaluate(before)) as { permissions?: { allow?: string[] } };
    const permissions = { ...was.permissions, allow: was.permissions?.allow ?? [] };
    assert.deepEqual(evaluate(withoutJsonEntry(after, item) as string), { ...was, permissions });
  }
  assert.deepEqual(insertJsonEntry('{ "permissions": { "allow": {} } }', item), {
    state: "impossible",
    reason: "permissions.allow is not a list",
  });
});

test("a note gives back the same bytes where the text alone cannot tell: empty maps, empty files, TOML", () => {
  for (const text of [
    "",
    "\n",
    "{}",
    "{\n}",
    '{ "mcpServers": {} }',
    '{ "mcpServers": {\n} }',
    '{ "mcpServers": { } }',
  ]) {
    const after = added(text);
    assert.equal(withoutAdded(after, noteOf("f", text, after, []) as InitNote), text);
    assert.equal(withoutAdded(after, noteOf("f", null, after, []) as InitNote), null, "there was no file");
  }
  const table = { table: ["mcp_servers", "sallyport"], values: { command: "sallyport" } } as const;
  for (const text of ["", "\n\n", "a = 1", "[x]\r\n"]) {
    const { text: after } = insertTomlTable(text, table) as { text: string };
    assert.equal(withoutAdded(after, noteOf("f", text, after, []) as InitNote), text);
  }
});

test("the entry is taken out of a file that its program wrote anew, and the rest stays", () => {
  const after = added('{\n  "a": 1\n}\n');
  const anew = `${JSON.stringify({ first: 0, ...(evaluate(after) as object), last: [1] }, null, 4)}\n`;
  const { first, a, ...others } = evaluate(withoutJsonEntry(anew, entry) ?? "") as Record<string, unknown>;
  assert.deepEqual([first, a, others], [0, 1, { mcpServers: {}, last: [1] }]);
  assert.ok(withoutJsonEntry(anew, entry)?.endsWith('"last": [\n        1\n    ]\n}\n'), "laid out as it was");
  const grown = after.replace("\n  }\n}\n", ',\n    // theirs\n    "other": { "command": "x" }\n  }\n}\n');
  assert.deepEqual(evaluate(grown), { a: 1, mcpServers: { sallyport: entry.value, other: { command: "x" } } });
  const taken = withoutJsonEntry(grown, entry) ?? "";
  assert.deepEqual(evaluate(taken), { a: 1, mcpServers: { other: { command: "x" } } });
  assert.equal(withoutJsonEntry('{ "a": 1 }', entry), null);
});

test("to take out changes nothing else: comments, other items and members, the layout", () => {
  const list = (inner: string) => `{"permissions": {"allow": ${inner}, "deny": ["Bash", "Read"]}}`;
  const items: readonly (readonly [before: string, after: string])[] = [
    ['["Bash(ls)", "mcp__sallyport"]', '["Bash(ls)"]'],
    ['["Bash(ls)", "mcp__sallyport", "x"]', '["Bash(ls)", "x"]'],
    ['["mcp__sallyport", "x"]', '["x"]'],
    ['[ "mcp__sallyport", "x" ]', '[ "x" ]'],
    ['["x","mcp__sallyport",]', '["x",]'],
    ['["mcp__sallyport",]', "[]"],
    ['[ // keep\n  "mcp__sallyport"\n  // keep2\n]', "[ // keep\n  // keep2\n]"],
    ['[\r\n  "a", // mine\r\n  "mcp__sallyport"\r\n]', '[\r\n  "a" // mine\r\n]'],
    ['[\n  // mine\n  "mcp__sallyport", "b"\n]', '[\n  // mine\n  "b"\n]'],
    ['["a" /* , */, /* 1 */ "mcp__sallyport" /* 2 */, "b"]', '["a" /* , */, /* 1 */ /* 2 */ "b"]'],
    ['["a" // ,\n  , "mcp__sallyport" /* , */]', '["a" // ,\n   /* , */]'],
  ];
  for (const [before, after] of items) assert.equal(withoutJsonEntry(list(before), item), list(after), before);
  const members: readonly (readonly [before: string, after: string])[] = [
    ['{"mcpServers":{"sallyport":{},}}', '{"mcpServers":{}}'],
    ['\uFEFF{"mcpServers":{"a":1,"sallyport":{}}}', '\uFEFF{"mcpServers":{"a":1}}'],
    [
      '{\n  "mcpServers": {\n    // one\n    "sallyport": {\n    }, // two\n    "x": {}, // three\n  }\n}\n',
      '{\n  "mcpServers": {\n    // one\n    // two\n    "x": {}, // three\n  }\n}\n',
    ],
  ];
  for (const [before, after] of members) assert.equal(withoutJsonEntry(before, entry), after, before);
  const twice = '{ "mcpServers": { "sallyport": 1, "sallyport": 1 } }';
  assert.equal(withoutJsonEntry(twice, entry), null, "what is read back still has it");
});

const trivia = fc.constantFrom("", " ", "\n", "\r\n  ", "\t", ' /* } , " */ ', " // { ,\n", "\n\n    ");

/** A value as somebody may have written it. */
function written(value: unknown, blanks: () => string): string {
  const parts = (items: string[], open: string, close: string, trailing: boolean) =>
    open +
    items.map((item) => blanks() + item + blanks()).join(",") +
    (trailing && items.length > 0 ? "," : "") +
    blanks() +
    close;
  if (Array.isArray(value))
    return parts(
      value.map((item) => written(item, blanks)),
      "[",
      "]",
      blanks().length > 3,
    );
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}${blanks()}:${blanks()}${written(item, blanks)}`,
  );
  return parts(members, "{", "}", blanks().length > 3);
}

test("however a file is written: nothing else changes, it still reads, and it can be taken out again", () => {
  const names = fc.constantFrom("a", "b", "mcpServers", "x/*y", "//", 'q"', "__proto__");
  const objects = fc.letrec<{ value: unknown; object: object }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue({ maxDepth: 0 }),
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(objects.object, fc.infiniteStream(trivia), (object, stream) => {
      const text = written(object, () => stream.next().value as string);
      const inserted = insertJsonEntry(text, entry);
      const servers = (object as { mcpServers?: unknown }).mcpServers ?? {};
      const isMap =
        typeof servers === "object" &&
        !Array.isArray(servers) &&
        (object as { mcpServers?: unknown }).mcpServers !== null;
      if (!isMap) return assert.equal(inserted.state, "impossible");
      assert.equal(inserted.state, "added", JSON.stringify(inserted));
      const { text: after } = inserted as { text: string };
      let from = 0;
      for (const character of text) {
        from = after.indexOf(character, from) + 1;
        assert.ok(from > 0, "every character is still there, in order");
      }
      const expected = JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
      expected["mcpServers"] = { ...(JSON.parse(JSON.stringify(servers)) as object), sallyport: entry.value };
      if (!Object.hasOwn(object, "__proto__") && !JSON.stringify(object).includes("__proto__"))
        assert.deepEqual(evaluate(after), expected);
      const taken = withoutJsonEntry(after, entry);
      assert.ok(taken !== null);
      assert.equal(insertJsonEntry(taken, entry).state, "added");
      const note = noteOf("f", text, after, []);
      assert.ok(note !== null);
      assert.equal(withoutAdded(after, note), text, "with what was noted, the same bytes");
    }),
    { numRuns: runs(1_000) },
  );
});

test("however a file is written by a person: the entry is cut out alone, every comment and every other value stays", () => {
  const keys = fc.uniqueArray(fc.constantFrom("a", "b", "x/*y", "//", 'q"', "sally"), { maxLength: 4 });
  const value = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant("mcp__"), fc.constant([1, { "// x": "," }]));
  const inert = (found: unknown) => JSON.parse(JSON.stringify(found).replaceAll("__proto__", "proto")) as unknown;
  fc.assert(
    fc.property(
      keys.chain((names) => fc.record({ names: fc.constant(names), at: fc.nat({ max: names.length }) })),
      fc.infiniteStream(value),
      fc.infiniteStream(trivia),
      fc.boolean(),
      ({ names, at }, values, blanks, isItem) => {
        let [from, count] = [0, 0];
        const fill = () => {
          const text = blanks.next().value as string;
          return text.replace(/[*/] /, (open) => `${open}note ${(count += 1)}. `);
        };
        const others = names.map((name) => [name, inert(values.next().value)] as const);
        // The entry's own text has neither comments nor blanks: they would go with it.
        const own = isItem ? JSON.stringify(item.value) : `"sallyport":${JSON.stringify(entry.value)}`;
        const parts = others.map(([name, one]) => {
          const text = written(one, fill);
          return isItem ? text : `${JSON.stringify(name)}${fill()}:${fill()}${text}`;
        });
        parts.splice(at, 0, own);
        const inner =
          parts.map((part) => fill() + part + fill()).join(",") + (fill().length > 3 ? `,${fill()}` : fill());
        const text = isItem
          ? `{${fill()}"permissions":{"deny":["x"],${fill()}"allow":[${inner}]${fill()}}}${fill()}`
          : `${fill()}{"mcpServers":${fill()}{${inner}}${fill()},"z":1}`;
        const taken = withoutJsonEntry(text, isItem ? item : entry);
        assert.ok(taken !== null, text);
        const rest = Object.fromEntries(others);
        const expected = isItem
          ? { permissions: { deny: ["x"], allow: others.map(([, one]) => one) } }
          : { mcpServers: rest, z: 1 };
        assert.deepEqual(evaluate(taken), expected, text);
        const notes = (of: string) => [...of.matchAll(/note \d+\. /g)].map(String);
        assert.deepEqual(notes(taken), notes(text));
        for (const character of taken) {
          from = text.indexOf(character, from) + 1;
          assert.ok(from > 0, "nothing is new, and the order stays");
        }
        const ink = (of: string) => of.replaceAll(/\s/g, "").length;
        const isComma = ink(text) - ink(own) - ink(taken);
        assert.ok(isComma === 1 || (isComma === 0 && others.length === 0), "one comma goes with it, nothing else");
      },
    ),
    { numRuns: runs(2_000) },
  );
});
