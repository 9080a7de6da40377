import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { type AttributeLines, attributeOf, parseAttributeLines } from "../../../src/git/publish/attributes.ts";
import { git, makeRepository, writeFiles } from "../../fixtures/git.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-attributes-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const root = `
# a comment *.c filter=lfs
*.bin filter=lfs diff=lfs -text
small.bin -filter
other.bin !filter
/top.txt filter=x
media/*.mp4 filter=lfs
media/**/*.mov filter=lfs
**/cache/* filter=lfs
"with blank.dat" filter=lfs
dir/ filter=lfs
[attr]big filter=lfs -text
*.big big
*.not text
!*.bang filter=lfs
[ab].set filter=lfs
`;
const files: Readonly<Record<string, string>> = {
  "": root,
  deep: "*.bin filter=other\n*.iso\tfilter=lfs\r\n",
  "deep/er": "*.iso -filter\n",
};
const paths = [
  "a.bin",
  "x/a.bin",
  "small.bin",
  "x/small.bin",
  "other.bin",
  "top.txt",
  "x/top.txt",
  "media/a.mp4",
  "media/x/a.mp4",
  "media/x/a.mov",
  "media/a.mov",
  "cache/a",
  "x/cache/a",
  "x/cache/y/a",
  "with blank.dat",
  "dir/a",
  "a.big",
  "a.not",
  "a.bang",
  "b.set",
  "c.set",
  "deep/a.bin",
  "deep/a.iso",
  "deep/er/a.iso",
  "deep/er/a.bin",
  "a.iso",
  "a.c",
];

test("what the attributes say of a path is what git says", () => {
  const repository = makeRepository(join(directory, "repo"));
  writeFiles(
    repository,
    Object.fromEntries(Object.entries(files).map(([at, text]) => [join(at, ".gitattributes"), text])),
  );
  const lines = new Map<string, AttributeLines>();
  const macros = new Map<string, string>();
  for (const [at, text] of Object.entries(files)) lines.set(at, parseAttributeLines("filter", text, macros));
  const told = git(repository, ["check-attr", "-z", "--stdin", "filter"], {
    input: paths.map((path) => `${path}\0`).join(""),
  }).split("\0");
  for (const [index, path] of paths.entries()) {
    const said = told[index * 3 + 2] as string;
    assert.equal(attributeOf(path, lines) ?? "none", /^(?:unspecified|unset)$/.test(said) ? "none" : said, path);
  }
});
