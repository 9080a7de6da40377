// Finds the language of a file by its name alone, under the highlighter's name for it.

const byExtension: Readonly<Record<string, string>> = {
  adoc: "asciidoc",
  bash: "bash",
  bat: "dos",
  bazel: "python",
  c: "c",
  cc: "cpp",
  cjs: "javascript",
  clj: "clojure",
  cljs: "clojure",
  cmake: "cmake",
  cmd: "dos",
  cpp: "cpp",
  cs: "csharp",
  css: "css",
  cts: "typescript",
  cxx: "cpp",
  dart: "dart",
  diff: "diff",
  erl: "erlang",
  ex: "elixir",
  exs: "elixir",
  fish: "bash",
  fs: "fsharp",
  go: "go",
  gql: "graphql",
  gradle: "gradle",
  graphql: "graphql",
  groovy: "groovy",
  h: "c",
  hcl: "ini",
  hh: "cpp",
  hpp: "cpp",
  hs: "haskell",
  htm: "xml",
  html: "xml",
  ini: "ini",
  java: "java",
  jl: "julia",
  js: "javascript",
  json: "json",
  json5: "json",
  jsonc: "json",
  jsx: "javascript",
  kt: "kotlin",
  kts: "kotlin",
  less: "less",
  lua: "lua",
  m: "objectivec",
  markdown: "markdown",
  md: "markdown",
  mdx: "markdown",
  mjs: "javascript",
  mk: "makefile",
  ml: "ocaml",
  mli: "ocaml",
  mm: "objectivec",
  mts: "typescript",
  nix: "nix",
  patch: "diff",
  php: "php",
  pl: "perl",
  plist: "xml",
  pm: "perl",
  properties: "properties",
  proto: "protobuf",
  ps1: "powershell",
  psm1: "powershell",
  py: "python",
  pyi: "python",
  r: "r",
  rake: "ruby",
  rb: "ruby",
  rs: "rust",
  sass: "scss",
  sbt: "scala",
  scala: "scala",
  scss: "scss",
  sh: "bash",
  sql: "sql",
  svelte: "xml",
  svg: "xml",
  swift: "swift",
  tf: "ini",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vue: "xml",
  xhtml: "xml",
  xml: "xml",
  xsd: "xml",
  yaml: "yaml",
  yml: "yaml",
  zsh: "bash",
};

const byName: Readonly<Record<string, string>> = {
  ".bash_profile": "bash",
  ".bashrc": "bash",
  ".editorconfig": "ini",
  ".env": "bash",
  ".gitconfig": "ini",
  ".npmrc": "ini",
  ".profile": "bash",
  ".zshrc": "bash",
  brewfile: "ruby",
  build: "python",
  "cargo.lock": "ini",
  "cmakelists.txt": "cmake",
  containerfile: "dockerfile",
  dockerfile: "dockerfile",
  gemfile: "ruby",
  gnumakefile: "makefile",
  jenkinsfile: "groovy",
  justfile: "makefile",
  makefile: "makefile",
  "poetry.lock": "ini",
  rakefile: "ruby",
  vagrantfile: "ruby",
};

/** Null if the file is shown without colours. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (Object.hasOwn(byName, name)) return byName[name] as string;
  if (/^(?:dockerfile|containerfile)\./.test(name)) return "dockerfile";
  if (name.startsWith(".env.")) return "bash";
  const extension = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
  return Object.hasOwn(byExtension, extension) ? (byExtension[extension] as string) : null;
}

/** Every language that `languageOf` can return. */
export const languages: readonly string[] = [
  ...new Set([...Object.values(byExtension), ...Object.values(byName)]),
].sort();

const withBlockComments = new Set(
  "c cpp csharp css dart go gradle groovy java javascript kotlin less objectivec php protobuf rust scala scss sql swift typescript".split(
    " ",
  ),
);

/** Lines cut out of a file may begin inside a comment. Then this returns the opening to put before them; otherwise it is empty. */
export function openingOf(language: string, text: string): string {
  if (!withBlockComments.has(language)) return "";
  const end = text.indexOf("*/");
  if (end < 0) return "";
  const start = text.indexOf("/*");
  // This excludes `/*/`, and a star and slash inside a line of code, such as a glob.
  return (start < 0 || start > end) && /^\s*(?:\*|\S.*\*\/\s*$)/m.test(lineBefore(text, end)) ? "/*" : "";
}

function lineBefore(text: string, at: number): string {
  const from = text.lastIndexOf("\n", at) + 1;
  const to = text.indexOf("\n", at);
  return text.slice(from, to < 0 ? text.length : to);
}
