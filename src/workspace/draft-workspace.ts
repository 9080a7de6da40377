// The files of a draft, as its holder has mounted them. A project can have hundreds of thousands of files in directories that git
// ignores, so listing leaves those directories out unless the caller names one.

import { readdirSync } from "node:fs";
import type { ListedName } from "../command/words/globs.ts";
import { DirectoryHandle, openDirectory } from "../process/directory-handle.ts";
import { DirectoryWorkspace } from "./directory.ts";
import { type FoundEntry, scanLevel } from "./directory-scan.ts";
import { IgnoredFiles } from "./ignored-files.ts";
import type { WorkspacePath } from "./path.ts";
import { type WorkspaceLimits, workspaceLimits } from "./workspace.ts";

/** The disk bounds a draft, not a number of files. */
const draftLimits: WorkspaceLimits = { ...workspaceLimits, totalBytes: Infinity, fileCount: Infinity };

export class DraftWorkspace extends DirectoryWorkspace {
  readonly ignoreRules: string;

  /** `mounted`: where the gate reaches the mounted draft. Nobody but the gate can change that path. */
  constructor(mounted: string, ignoreRules = "", limits: WorkspaceLimits = draftLimits) {
    super(openMounted(mounted), limits);
    this.ignoreRules = ignoreRules;
  }

  /** The draft is mounted at another place by now. */
  moveTo(mounted: string): void {
    const before = this.handle;
    this.handle = openMounted(mounted);
    before.close();
  }

  /** Null if the path is no directory. A link counts as a file: where it leads is not looked up outside of a box. */
  namesIn(path: WorkspacePath): readonly ListedName[] | null {
    const names = this.handle.inDirectory(path, (directory) =>
      readdirSync(`/proc/self/fd/${directory}`, { withFileTypes: true }).map((entry): ListedName => ({
        name: entry.name,
        kind: entry.isDirectory() ? "directory" : "file",
      })),
    );
    return names ?? null;
  }

  protected override async entriesBelow(under: WorkspacePath): Promise<FoundEntry[]> {
    const rules = new IgnoredFiles(this);
    const isInside = await rules.hasDirectory(under); // the caller names an ignored directory: all of it is listed
    const found: FoundEntry[] = [];
    const waiting = [under];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { entries, directories } = scanLevel(this.handle, next);
      for (const entry of entries) found.push(entry);
      for (const directory of directories)
        if (isInside || !(await rules.hasDirectory(directory))) waiting.push(directory);
    }
    return found;
  }
}

function openMounted(mounted: string): DirectoryHandle {
  return new DirectoryHandle(mounted, undefined, openDirectory);
}
