// Makes the page about worker files, docs/worker.md, from their schema.

import { schemaSections } from "./config-reference.ts";
import { schemaNodeOf } from "../src/config/schema-issue.ts";
import { workerSchema } from "../src/config/worker-schema.ts";

export const workerExample = `---
name: report-writer
description: Writes analysis reports from the templates of this project

git:
  default_target:
    type: local
    path: .
    branch: reports
  auto_pull:
    - path: templates/
      source: { type: local, path: . }
    - paths: [data/*.csv, data/README.md]
      source: { type: github, repo: octocat/figures, branch: main }
      on_conflict: keep-both

tool_grants: [Bash, "git_*", "*_file", "*_files"]
net_grants: []
limits: { memory_mb: 256 }

policy:
  rules:
    - decide: deny
      effect: push
      branch: "release*"
      because: releases are made by people
      examples: { match: ["/srv/site release-2"], not_match: ["/srv/site reports"] }
---
You write one report per quarter. Begin with the template, keep its headings, and name your sources.
`;

export function workerReference(): string {
  return `# Worker files

<!-- Written by scripts/write-docs.ts from src/config/worker-schema.ts: change it there. -->

A worker file describes one job for an agent: Markdown, with YAML frontmatter that says where its commits go, which files
it starts with, and how much less than the agent it may do. The text below the frontmatter is its instructions.

\`\`\`markdown
${workerExample}\`\`\`

\`\`\`sh
sallyport worker check report-writer.md
\`\`\`

## A worker only narrows

A worker file may be in a project, where an agent can write one. So it can only narrow what the agent may do:

- A grant or limit holds only if *both* the agent and the worker have it: naming a tool, a path or a host here does not give it to an agent that
  does not have it. What the file does not mention stays as the agent has it.
- Rules can \`ask\` and \`deny\`; \`allow\` is an error. They stand beside the rules of the [configuration](configuration.md#policyrules), and the strictest wins.
- \`default_target\` is where a push goes that names no target; a person is asked as about any other.
- A source in \`auto_pull\` is named by whoever starts the worker with this file, so it is not asked about. Look at the
  file before you start it: your credentials are used to read from there.

## What is refused

A key that is not in these tables, a value of another type, a key written twice, an address with a password in it, a branch
that is none, an example that fails: each with its line and column. A file that is wrong anywhere gives no worker.

${schemaSections(schemaNodeOf(workerSchema)).join("\n\n")}
`;
}
