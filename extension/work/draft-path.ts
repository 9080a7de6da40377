// The paths of a draft: tools name a file /workspace/a.ts, and the panel a.ts.

const ROOT = "/workspace/";

export function draftPath(path: string): string {
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
}
