// Where a secret can stand in a call: the arguments of the tools, as an agent sends them.

import type { Json } from "../../src/shared/json.ts";
import type { SecretFormat } from "./secret-formats.ts";

export const secretPlaces: Readonly<Record<string, (format: SecretFormat) => Json>> = {
  argv: ({ kind, text }) => ({ argv: kind === "command" ? argvOf(text) : ["/usr/bin/printf", "%s", text] }),
  script: ({ kind, text }) => ({
    script: kind === "command" ? `set -e\n${text}\necho done` : `cat > conf <<'EOF'\n${text}\nEOF\necho done`,
  }),
  stdin: ({ text }) => ({ script: "cat > kept", stdin: `first line\n${text}\n` }),
  environment: ({ text }) => ({ argv: ["/usr/bin/env"], env: { NOTE: text } }),
  file: ({ text }) => ({ path: "notes/setup.txt", content: `# Setup\n\n${text}\n\nand more\n` }),
  message: ({ text }) => ({ files: ["a"], message: `build: use it\n\nIt was run as: ${text}\n` }),
  shell: ({ kind, text }) => ({ command: kind === "command" ? text : `grep -rn ${quoted(text)} src` }),
  python: ({ kind, text }) => ({
    code: kind === "code" ? `import os\n${text}\nprint(1)\n` : `import os\nos.system(${JSON.stringify(text)})\n`,
  }),
};

function quoted(text: string): string {
  return text.includes("'") && !/["$`\\]/.test(text) ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The words as a shell would pass them on; what needs a shell is given to one. */
export function argvOf(text: string): string[] {
  if (/[|;<]/.test(text.replace(/'[^']*'|"[^"]*"/g, ""))) return ["/bin/bash", "-c", text];
  const words = text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const plain = words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, one = "", two = "") => one + two));
  return /^[A-Z_]+=/.test(text) ? ["/usr/bin/env", ...plain] : plain;
}
