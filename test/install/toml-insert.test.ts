import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { insertTomlTable, type TomlEntry, tomlSnippet, withoutTomlTable } from "../../src/install/toml-insert.ts";

const entry: TomlEntry = {
  table: ["mcp_servers", "sallyport"],
  values: { command: "sallyport", args: ["mcp", 'a"b\\c\u007f\n'], startup_timeout_sec: 60 },
};
const block = tomlSnippet(entry);

/** What Python's own parser reads. */
function parsed(texts: readonly string[]): unknown[] {
  const program = `import json, sys, tomllib
def read(text):
  try: return tomllib.loads(text)
  except tomllib.TOMLDecodeError as error: return "error: " + str(error)
print(json.dumps([read(text) for text in json.load(sys.stdin)], default=str))`;
  const { stdout, stderr } = spawnSync("python3", ["-c", program], { input: JSON.stringify(texts), encoding: "utf8" });
  assert.equal(stderr, "");
  return JSON.parse(stdout) as unknown[];
}

const good = [
  "",
  "\n",
  "# only a comment",
  'model = "x"',
  'model = "x"\n',
  'model = "x"\r\n[a]\r\nb = 1\r\n',
  '[mcp_servers]\n[mcp_servers.other]\ncommand = "x"\n',
  '[mcp_servers]\nother = { command = "x", args = ["[mcp_servers.sallyport]"] } # yes\n',
  "[mcp_servers.\"other.sallyport\"]\ncommand = 'x'\n",
  'a = """\n[mcp_servers.sallyport]\n\\""" "quoted"""""\nb = \'\'\'\n[x]\n\'\'\'\n',
  "a = [ # list\n  1, 2,\n  [3], # }\n]\nd = 1979-05-27 07:32:00Z\nf = -1.5e3\nt = true\n",
  '[[rules]]\n"a b".c = 1\n[ x . "y" ]\nsallyport = 1\n[projects."/home/me"]\ntrust_level = "trusted"\n',
];

test("a table is added at the end, the rest stays, and a real parser reads both", () => {
  const after = good.map((text) => {
    const inserted = insertTomlTable(text, entry);
    assert.equal(inserted.state, "added", `${text}: ${JSON.stringify(inserted)}`);
    return (inserted as { text: string }).text;
  });
  const [before, now] = [parsed(good), parsed(after)] as Record<string, Record<string, unknown>>[][];
  for (const [index, text] of good.entries()) {
    assert.ok(after[index]?.startsWith(text));
    const was = before?.[index] as Record<string, Record<string, unknown>>;
    assert.deepEqual(now?.[index], { ...was, mcp_servers: { ...was["mcp_servers"], sallyport: entry.values } });
    assert.equal(insertTomlTable(after[index] as string, entry).state, "present");
    const taken = withoutTomlTable(after[index] as string, entry) as string;
    assert.equal(taken.replace(/\s+$/, ""), text.replace(/\s+$/, ""));
    assert.equal(after[index]?.includes("\n") && !/[^\r]\n/.test(after[index]), text.includes("\r\n"));
  }
});

test("an entry is found however it is written", () => {
  for (const text of [
    block,
    "[mcp_servers.sallyport]",
    '[ mcp_servers . "sallyport" ]\ncommand = 1\n',
    "[mcp_servers.'sallyport'.env]\nA = '1'\n",
    "[mcp_servers]\nsallyport = {}\n",
    "[mcp_servers]\nsallyport.command = 'x'\n",
    "mcp_servers.sallyport.command = 'x'\n",
    '["mcp_servers"."s\\u0061llyport"]\n',
  ])
    assert.equal(insertTomlTable(text, entry).state, "present", text);
});

test("what cannot be done surely is not done", () => {
  const reason = (text: string) => (insertTomlTable(text, entry) as { reason?: string }).reason;
  const closed = ["mcp_servers = {}", "mcp_servers = 1", "[[mcp_servers]]", "mcp_servers.other.command = 'x'"];
  for (const text of closed) assert.match(reason(text) ?? "", /^mcp_servers is not written as tables/, text);
  const broken = [
    "a = ",
    "a",
    "[a",
    "a = 'x",
    'a = """x',
    "a = [1",
    "a = {b}",
    "a = 1 2 3 x",
    "[a] b = 1",
    "= 1",
    "a = {b = 1",
  ];
  for (const text of broken) assert.match(reason(`ok = 1\n${text}`) ?? "", /^it is not TOML: line \d+: /, text);
  // The control: the real parser refuses the same.
  for (const [index, read] of parsed(broken).entries()) assert.match(String(read), /^error: /, broken[index]);
  const [appended] = parsed([`mcp_servers = {}\n${block}`]);
  assert.match(String(appended), /^error: /);
});

test("only what was added is taken out", () => {
  const { text } = insertTomlTable('model = "x"\n', entry) as { text: string };
  assert.equal(withoutTomlTable(text, entry), 'model = "x"\n');
  assert.equal(withoutTomlTable(`${text}\n[z]\na = 1\n`, entry), 'model = "x"\n\n[z]\na = 1\n');
  assert.equal(withoutTomlTable(`${text}env = {}\n`, entry), null);
  assert.equal(withoutTomlTable(text.replace('"mcp"', '"mcp", "--agent"'), entry), null);
  assert.equal(withoutTomlTable('model = "x"\n', entry), null);
});
