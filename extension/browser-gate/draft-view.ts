// What the panel shows of a draft: its files, one file to edit, and how it differs from the commit that it began with.

import { createPulledBase } from "../../src/git/publish/push/pulled-base.ts";
import { workspacePairs } from "../../src/git/publish/push/workspace-pairs.ts";
import { WantedPaths } from "../../src/git/publish/push/wanted-paths.ts";
import { diffFiles, type FilePair } from "../../src/git/publish/diff.ts";
import type { StagedStore } from "../../src/git/staged.ts";
import { limits } from "../../src/shared/limits.ts";
import { fail, ok, type Result } from "../../src/shared/result.ts";
import type { SessionId } from "../../src/shared/session-id.ts";
import type { FileList, DraftFile } from "../../src/web/api-work.ts";
import type { ReviewedChange } from "../../src/web/change-routes.ts";
import { parseWorkspacePath, type WorkspacePath } from "../../src/workspace/path.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

export interface DraftParts {
  readonly files: Workspace;
  readonly staged: StagedStore;
  readonly session: SessionId;
}

export class DraftView {
  readonly #parts: DraftParts;
  /** Until the next change of a file or of what is compared with. */
  #pairs: { readonly version: string; readonly found: Result<readonly FilePair[]> } | null = null;
  #change: { readonly digest: string; readonly change: ReviewedChange } | null = null;

  constructor(parts: DraftParts) {
    this.#parts = parts;
  }

  /** The files that differ from the commit. */
  async pairs(): Promise<Result<readonly FilePair[]>> {
    const { files, staged, session } = this.#parts;
    const version = `${await files.version()} ${staged.version()}`;
    if (this.#pairs?.version === version) return this.#pairs.found;
    const wanted = WantedPaths.parse(undefined);
    if (!wanted.ok) return wanted;
    const parts = { base: createPulledBase({ staged, session, hashes: staged.hashes }), hashes: staged.hashes };
    const compared = await workspacePairs(files, parts, wanted.value);
    const found = compared.ok ? ok(compared.value.pairs) : compared;
    this.#pairs = { version, found };
    return found;
  }

  async changedCount(): Promise<number> {
    const pairs = await this.pairs();
    return pairs.ok ? pairs.value.length : 0;
  }

  async list(): Promise<Result<FileList>> {
    const pairs = await this.pairs();
    if (!pairs.ok) return pairs;
    const changes = new Map(pairs.value.map((pair) => [pair.path, pair]));
    const { entries } = await this.#parts.files.list();
    const files = entries.map(({ path, size }) => {
      const pair = changes.get(path);
      return {
        path,
        bytes: size,
        change: pair === undefined ? null : pair.before === null ? "added" : "modified",
      } as const;
    });
    return ok({ files, removed: pairs.value.flatMap(({ path, after }) => (after === null ? [path] : [])) });
  }

  async file(text: string): Promise<Result<DraftFile>> {
    const path = parseWorkspacePath(text);
    if (!path.ok) return path;
    const read = await this.#read(path.value);
    if (read === null) return fail("not_found", `There is no file ${JSON.stringify(text)}.`);
    return ok({ path: path.value, text: textOf(read), bytes: read.length, hash: this.#hash(read) });
  }

  /** The changes, under a name that stands for their contents. */
  async changes(): Promise<Result<{ readonly digest: string; readonly change: ReviewedChange }>> {
    const found = await this.pairs();
    if (!found.ok) return found;
    const pairs = found.value;
    const { hashes } = this.#parts.staged;
    const facts = pairs.map(({ path, before, after }) => [path, before?.mode, before?.id, after?.mode, after?.id]);
    const digest = hashes.hex("sha256", JSON.stringify(facts));
    if (this.#change?.digest !== digest) {
      const contents = new Map(
        pairs.flatMap(({ before, after }) => [before, after].map((side) => [side?.id, side?.content])),
      );
      const bytes: ReviewedChange["bytes"] = async (_, { id }) => contents.get(id) ?? null;
      this.#change = { digest, change: { files: diffFiles(pairs), bytes } };
    }
    return ok(this.#change);
  }

  async #read(path: WorkspacePath): Promise<Uint8Array | null> {
    const { files } = this.#parts;
    const real = await files.resolve(path);
    const file = real.ok ? await files.read(real.value) : real;
    return file.ok ? file.value.bytes : null;
  }

  #hash(bytes: Uint8Array): string {
    return this.#parts.staged.hashes.hex("sha256", bytes);
  }
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.length > limits.editedFileBytes || bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
