// The project's documents as the tests read them: prose without fenced blocks, headings, links, and marked blocks.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

export const requiredDocuments = ["README.md", "ARCHITECTURE.md", "THREAT_MODEL.md", "CONTRIBUTING.md", "SECURITY.md"];

export function documentPaths(): string[] {
  return [...requiredDocuments, ...globSync("docs/**/*.md", { cwd: root })];
}

export function readDocument(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

const fence = /^(?<indent> *)(?<ticks>`{3,})(?<language>[^\n`]*)\n(?<body>[\s\S]*?)^ *\k<ticks> *$/gm;

/** The text without its fenced blocks and HTML comments. */
export function prose(markdown: string): string {
  return markdown.replace(fence, "").replace(/<!--[\s\S]*?-->/g, "");
}

export interface Block {
  readonly language: string;
  readonly body: string;
  readonly line: number;
}

/** Fenced blocks with the comment `<!-- run -->` on the line before. */
export function markedBlocks(markdown: string): Block[] {
  return [...markdown.matchAll(fence)]
    .filter((match) => /<!-- run -->[ \t]*\n$/.test(markdown.slice(0, match.index)))
    .map((match) => ({
      language: match.groups?.["language"]?.trim() ?? "",
      body: match.groups?.["body"] ?? "",
      line: markdown.slice(0, match.index).split("\n").length,
    }));
}

/** The anchors of a document's headings, as the hosting pages make them. */
export function anchors(markdown: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of prose(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
    let name = slug;
    for (let count = 1; found.has(name); count += 1) name = `${slug}-${count}`;
    found.add(name);
  }
  for (const [, name = ""] of markdown.matchAll(/<a (?:name|id)="([^"]+)"/g)) found.add(name);
  return found;
}

export function linkTargets(markdown: string): string[] {
  const text = prose(markdown).replace(/`[^`\n]*`/g, "");
  const inline = [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const reference = [...text.matchAll(/^\[[^\]]+\]:\s*<?(\S+?)>?\s*$/gm)];
  return [...inline, ...reference].map((match) => match[1] ?? "");
}

/** Inline code that looks like a path of this repository. */
export function namedPaths(markdown: string): string[] {
  return [...prose(markdown).matchAll(/`([^`\n]+)`/g)]
    .map((match) => (match[1] ?? "").replace(/:\d+$/, ""))
    .filter(
      (text) =>
        /^(?:src|test|docs|bench|scripts|bin|native|\.ci)\/[\w./*{},-]*$/.test(text) || /^[A-Z_]+\.md$/.test(text),
    );
}

/** The block after each mark `<!-- KIND NAME -->`. */
export function blocksOf(markdown: string, kind: string): Map<string, string> {
  const pattern = new RegExp(`<!-- ${kind} (\\S+) -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\`\\n`, "g");
  return new Map([...markdown.matchAll(pattern)].map(([, name = "", body = ""]) => [name, body]));
}
