// A workspace answers for itself (docs/workspace.md): outside the named files no source asks which kind it is.

import { withoutComments } from "./source-scan.ts";

/** Who may: what makes a workspace from the configuration, and what writes an action's view as text or says where it is. */
const named = ["config/workspace-config.ts", "runtime/open-workspace.ts", "action/describe.ts", "action/draft-view.ts"];

const workspace = String.raw`\w*(?:[wW]orkspace|[vV]iew)`;
const questions = [
  new RegExp(String.raw`\b${workspace}\s*\??\.\s*kind\b`),
  new RegExp(String.raw`\{[^{}]*\bkind\b[^{}]*\}\s*=\s*(?:\w+\s*\??\.\s*)*${workspace}\b`),
  /[!=]==?\s*["']memory["']|["']memory["']\s*[!=]==?|\bcase\s*["']memory["']/,
];

export function workspaceProblems(path: string, source: string): string[] {
  const code = withoutComments(source);
  return !named.includes(path) && questions.some((question) => question.test(code))
    ? [`${path}: asks which kind a workspace is; give SessionWorkspace a method that answers`]
    : [];
}
