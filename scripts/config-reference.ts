// Makes the reference of the configuration file, docs/configuration.md, from its schema.

import { defaultConfigText } from "../src/config/default.ts";
import { hostSetNames, hostSets } from "../src/policy/host-sets.ts";
import { configSchema } from "../src/config/schema.ts";
import { type SchemaNode, schemaNodeOf } from "../src/config/schema-issue.ts";

export function configReference(): string {
  return `# Configuration

<!-- Written by scripts/write-docs.ts from src/config/schema.ts: change it there. -->

One YAML file says what each agent may do. What the file does not grant is not granted. If anything in the file is wrong, the program stops
and prints the line, the column and what would pass.

| what | where |
|---|---|
| configuration file | \`--config FILE\`, else \`$SALLYPORT_CONFIG\`, else \`$XDG_CONFIG_HOME/sallyport/config.yaml\` (\`~/.config\` when unset) |
| state: the record, sessions | \`--state DIR\`, else \`$SALLYPORT_STATE\`, else \`$XDG_STATE_HOME/sallyport\` (\`~/.local/state\` when unset) |
| project | \`--project DIR\`, else the current directory |
| rules and answers that were added later | in \`$XDG_CONFIG_HOME/sallyport/rules\`, always: [policy](policy.md) |
| key of the record | in \`$XDG_CONFIG_HOME/sallyport\`, always |

If there is no file at the default path, this one is built in:

\`\`\`yaml
${defaultConfigText}\`\`\`

In your own file, a missing grant is empty; every other missing key has the default below.

${schemaSections(schemaNodeOf(configSchema)).join("\n\n")}

${sets}
${programsOutside}
## What is refused when the file is loaded

- A key that is not in these tables, a value of another type, a key written twice, a file that is not UTF-8 or larger than 1 MiB.
- A grant that covers, is, or lies inside the state directory or the configuration directory.
- \`rw\` on the configuration file, on \`/\`, or on a link that leads to any of these paths.
- A grant on anything in \`/proc\`, \`/sys\` or \`/dev\`.
- A grant whose path passes through a link inside an \`rw\` grant, because the agent could change the link. Write the real path.
- A rule with a matcher that says nothing about its effect, a pattern that cannot be read, an example that fails, or an \`allow\` on a path that goes through a link.
- Two grants of one agent on the same real path, or one inside what another hides.
- A workspace in a directory that does not exist.
- A host in \`net_grants\` that is none, or an odd spelling of an address such as \`0x7f.1\`, and \`["*"]\` beside other entries.
- What this version does not do yet: \`store: postgres://…\`.

A grant on a path that does not exist is accepted and has no effect. If the *built-in* file would grant a directory that
must not be granted (a project that holds the state directory, such as your home), the gate leaves that grant out, and \`sallyport doctor\` says so.
`;
}

const sets = `## Sets of hosts

A set stands in \`net_grants\`, in rules (\`host\`), and in a call's \`needs.network\`, for the hosts that a package manager usually reaches. Whoever can
read from a host can also send to it: an address or a header can carry any text.

| set | hosts | what they open |
|---|---|---|
${hostSetNames.map((name) => `| \`${name}\` | ${hostSets[name].hosts.map((host) => `\`${host}\``).join(", ")} | ${hostSets[name].opens} |`).join("\n")}

\`sallyport init\` proposes the sets that files of the project call for: \`package.json\` npm, \`pyproject.toml\` and the like pypi, \`Cargo.toml\` crates, \`go.mod\` go. Each is a question of its own,
with the hosts and what they open, and only a yes to it grants the set: \`--yes\` grants none. \`init --json\` lists them as \`hosts\`.
`;

const programsOutside = `## Programs outside /usr

For Bash, Python and Shell, \`PATH\` of the box is the \`PATH\` with which you started Sallyport, in its order, without the directories that no \`r\` grant covers; then come
\`/usr/local/bin\`, \`/usr/bin\` and \`/bin\`. So a grant on a toolchain is enough to run it:

\`\`\`yaml
fs_grants:
  - { path: ~/.nvm/versions/node/v22.1.0, mode: r, hide: [etc/npmrc] }
  - { path: ~/.rustup/toolchains, mode: r }
  - { path: ~/.cargo/bin, mode: r }
\`\`\`

- \`sallyport doctor\` lists the grants that your own programs need, \`sallyport init\` offers to add them, and \`sallyport init --toolchains\` adds them. If a command is not found in
  the box but is on your \`PATH\`, the reply names the grant.
- If a version manager has shims on your \`PATH\` (pyenv, rbenv, asdf, mise, volta, rustup), the box has the directory of the version that they would choose.
- A directory that the agent can change is never on \`PATH\`: what is granted \`rw\`, the workspace, what the call asks to write. Neither are relative entries, directories that
  everybody can write, and \`node_modules/.bin\`.
- Rules apply to the program that runs, wherever it lies. A rule that denies \`node\` holds for every \`node\` on your \`PATH\` and in the directories of version managers. A rule that
  allows a program by its name is about \`/usr\`; to allow another, write its path.
- Exec and Git have the fixed \`PATH\`. A call of Bash or Python can set \`PATH\` in its \`env\`.
- While a call of Bash, Python or Shell has no network, \`npm_config_fetch_retries\`, \`PIP_RETRIES\` and \`CARGO_NET_RETRY\` are 0, so that npm, pip and cargo fail at once. The call's
  \`env\` can set them. In every call npm does not look for its own update (\`npm_config_update_notifier\`, \`NO_UPDATE_NOTIFIER\`), and sanitizers of gcc and clang do not look for
  leaks (\`ASAN_OPTIONS\`, \`LSAN_OPTIONS\`), which no box lets them do.
`;

/** One table for each map of the schema, the outermost first. */
export function schemaSections(node: SchemaNode): string[] {
  return sections("", node);
}

function sections(name: string, node: SchemaNode): string[] {
  const variants = node.oneOf ?? node.anyOf?.filter(({ properties }) => properties !== undefined) ?? [node];
  const keys = new Map(variants.flatMap((variant) => Object.entries(variant.properties ?? {})));
  const [first, ...others] = variants.map((variant) => variant.required ?? []);
  const required = new Set(first?.filter((key) => others.every((keys) => keys.includes(key))));
  const rows = [...keys].map(([key, part]) => {
    const all = variants.flatMap((variant) => variant.properties?.[key] ?? []);
    const fallback = required.has(key)
      ? "required"
      : part.default === undefined || isObject(part.default)
        ? ""
        : code(part.default);
    const meaning = [...new Set(all.map((one) => one.description ?? ""))].join(" ");
    return `| \`${key}\` | ${valueText(all)} | ${fallback} | ${meaning} |`;
  });
  const own =
    rows.length === 0
      ? []
      : [
          `## ${name === "" ? "The file" : `\`${name}\``}\n\n| key | value | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}`,
        ];
  const inner = [...keys].flatMap(([key, part]) => {
    const below = name === "" ? key : `${name}.${key}`;
    // The mounts' own shape belongs to the version that keeps them.
    if (key === "mounts") return [];
    if (part.additionalProperties) return sections(`${below}.NAME`, part.additionalProperties);
    return sections(part.items === undefined ? below : `${below}[]`, part.items ?? part);
  });
  return [...own, ...inner];
}

function valueText(nodes: readonly SchemaNode[]): string {
  const kinds = nodes.flatMap((node) => node.anyOf ?? []);
  if (kinds.length > 0) return kinds.map((kind) => valueText([kind])).join(" or ");
  const words = [...new Set(nodes.flatMap((node) => node.enum ?? (node.const === undefined ? [] : [node.const])))];
  if (words.length > 0) return words.map(code).join(" or ");
  const [node] = nodes;
  if (node?.type === "boolean") return "`true` or `false`";
  if (node?.type === "integer") return `${node.minimum} to ${node.maximum}`;
  if (node?.type === "array") {
    const items = (node.items?.anyOf ?? [node.items]).map((item) => (item?.type === "object" ? "maps" : "text"));
    return `list of ${[...new Set(items)].join(" or ")}`;
  }
  return node?.type === "string" ? "text" : "map";
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
