// Highlights pieces of text in a worker: the page can stop a slow language definition, which blocks nothing.

import highlighter from "highlight.js/lib/core";
import type { LanguageFn } from "highlight.js";
import { prepareHighlighter, tokenLines } from "./token-ranges.ts";

export interface HighlightRequest {
  readonly id: number;
  readonly language: string;
  readonly texts: readonly string[];
}

export interface HighlightReply {
  readonly id: number;
  /** For each text and each line, three numbers a range; null if the language is not available. */
  readonly texts: readonly (readonly (readonly number[])[])[] | null;
}

type Loader = () => Promise<{ default: LanguageFn }>;

const loaders: Readonly<Record<string, Loader>> = {
  asciidoc: () => import("highlight.js/lib/languages/asciidoc"),
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  clojure: () => import("highlight.js/lib/languages/clojure"),
  cmake: () => import("highlight.js/lib/languages/cmake"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  dart: () => import("highlight.js/lib/languages/dart"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  dos: () => import("highlight.js/lib/languages/dos"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  erlang: () => import("highlight.js/lib/languages/erlang"),
  fsharp: () => import("highlight.js/lib/languages/fsharp"),
  go: () => import("highlight.js/lib/languages/go"),
  gradle: () => import("highlight.js/lib/languages/gradle"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  groovy: () => import("highlight.js/lib/languages/groovy"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  julia: () => import("highlight.js/lib/languages/julia"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  less: () => import("highlight.js/lib/languages/less"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  nix: () => import("highlight.js/lib/languages/nix"),
  objectivec: () => import("highlight.js/lib/languages/objectivec"),
  ocaml: () => import("highlight.js/lib/languages/ocaml"),
  perl: () => import("highlight.js/lib/languages/perl"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  properties: () => import("highlight.js/lib/languages/properties"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scss: () => import("highlight.js/lib/languages/scss"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

/** Languages that can be embedded in another. */
const inner: Readonly<Record<string, readonly string[]>> = {
  markdown: ["xml"],
  php: ["xml"],
  typescript: ["xml"],
  javascript: ["xml"],
  xml: ["css", "javascript"],
};

prepareHighlighter(highlighter);
const loading = new Map<string, Promise<boolean>>();

function ready(language: string): Promise<boolean> {
  const known = loading.get(language) ?? load(language);
  loading.set(language, known);
  return known;
}

async function load(language: string): Promise<boolean> {
  const loader = loaders[language];
  if (loader === undefined) return false;
  try {
    highlighter.registerLanguage(language, (await loader()).default);
    return true;
  } catch {
    return false;
  }
}

async function answer({ id, language, texts }: HighlightRequest): Promise<HighlightReply> {
  const all = await Promise.all([language, ...(inner[language] ?? [])].map(ready));
  return { id, texts: all[0] === true ? texts.map((text) => tokenLines(highlighter, language, text)) : null };
}

addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  answer(data).then(
    (reply) => postMessage(reply),
    () => postMessage({ id: data.id, texts: null } satisfies HighlightReply),
  );
});
