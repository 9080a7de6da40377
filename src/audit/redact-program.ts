// Short flags that mean a secret only to their program: `mysql -pX`, `curl -u a:X`.

import { isReference } from "./reference.ts";
import { redacted } from "./secret-shape.ts";

const value = String.raw`"[^"]*"|'[^']*'|[^\s"']+`;
const after = (flag: string, blanks: string): RegExp => new RegExp(`((?:^|\\s)${flag}${blanks})(${value})`, "g");

// Not `-u 1000:1000`, which is a user and a group.
const login = String.raw`(?:-u|-U|--user|--proxy-user)(?:\s{0,4}|=)`;
const name = String.raw`(?!\d+:\d+\b)[^\s:"']{1,256}:`;
const fetchers = /\b(?:curl|wget|http)\b/;

const programFlags: readonly { readonly program: RegExp; readonly flag: RegExp }[] = [
  { program: fetchers, flag: new RegExp(`((?:^|\\s)${login}"${name})([^"\\n]+)(?=")`, "g") },
  { program: fetchers, flag: new RegExp(`((?:^|\\s)${login}'${name})([^'\\n]+)(?=')`, "g") },
  { program: fetchers, flag: new RegExp(`((?:^|\\s)["']?${login}["']?${name})([^\\s"']+)`, "g") },
  { program: /\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b/, flag: after(`["']?-p`, "") },
  { program: /\bsshpass\b/, flag: after("-p", String.raw`\s{0,4}`) },
  {
    program: /\b(?:docker|podman|buildah|skopeo|helm|az|nerdctl)\b[^\n]{0,200}?\blogin\b/,
    flag: after("-p", String.raw`\s{1,4}`),
  },
  { program: /\bredis-cli\b/, flag: after("-a", String.raw`\s{1,4}`) },
  {
    program: /\bmongo(?:sh|dump|restore|export|import)?\b/,
    flag: new RegExp(
      String.raw`(\bmongo(?:sh|dump|restore|export|import)?\s(?:[^\n]{0,400}?\s)?-p\s{0,4})(?![\d.]+:\d)(${value})`,
      "g",
    ),
  },
  { program: /\bopenssl\b/, flag: /(\s-pass(?:in|out)?[\s=]pass:)([^\s"']+)/g },
];

/** The programs of this table, by their names. */
export const flaggedPrograms =
  /^(?:curl|wget|http|mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|sshpass|docker|podman|buildah|skopeo|helm|az|nerdctl|redis-cli|mongo(?:sh|dump|restore|export|import)?|openssl)$/;

export function redactProgramFlags(text: string): string {
  let result = text;
  for (const { program, flag } of programFlags) {
    if (!program.test(result)) continue;
    result = result.replace(flag, (whole, before: string, value: string) =>
      isReference(unquoted(value)) ? whole : before + redacted,
    );
  }
  return result;
}

function unquoted(value: string): string {
  return /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value;
}
