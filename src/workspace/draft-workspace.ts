// The files of a draft, as its holder has mounted them. A project can have hundreds of thousands of files in directories that git
// ignores, so listing leaves those directories out unless the caller names one.

import { DirectoryHandle, openDirectory } from "../process/directory-handle.ts";
import { matchesGlob } from "../shared/glob.ts";
import { DirectoryWorkspace } from "./directory.ts";
import { type FoundEntry, scanLevel } from "./directory-scan.ts";
import { IgnoredFiles } from "./ignored-files.ts";
import { compareWorkspacePaths, rootPath, type WorkspacePath } from "./path.ts";
import { type ListOptions, type Page, workspaceLimits } from "./workspace.ts";

export class DraftWorkspace extends DirectoryWorkspace {
  /** `mounted`: where the gate reaches the mounted draft. Nobody but the gate can change that path. */
  constructor(mounted: string) {
    // The disk bounds a draft, not a number of files.
    const limits = { ...workspaceLimits, totalBytes: Infinity, fileCount: Infinity };
    super(new DirectoryHandle(mounted, undefined, openDirectory), limits);
  }

  override async list({ under = rootPath, glob, after = "", limit = Infinity }: ListOptions = {}): Promise<Page> {
    const prefix = under === rootPath ? "" : `${under}/`;
    const found: FoundEntry[] = [];
    for await (const entry of this.#walk(under))
      if (entry.path > after && (glob === undefined || matchesGlob(glob, entry.path.slice(prefix.length))))
        found.push(entry);
    found.sort((a, b) => compareWorkspacePaths(a.path, b.path));
    const page = limit < found.length ? found.slice(0, limit) : found;
    return { entries: page.map((entry) => this.noted(entry)), more: page.length < found.length };
  }

  async *#walk(under: WorkspacePath): AsyncGenerator<FoundEntry> {
    const rules = new IgnoredFiles(this);
    const isInside = await rules.hasDirectory(under); // the caller names an ignored directory: all of it is listed
    const waiting = [under];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { entries, directories } = scanLevel(this.handle, next);
      yield* entries;
      for (const directory of directories)
        if (isInside || !(await rules.hasDirectory(directory))) waiting.push(directory);
    }
  }
}
