// The private repository for a remote. It gets the trees of one commit at the start, and files when a caller asks for them.

import { ok, type Result } from "../../../shared/result.ts";
import type { ObjectFormat, ObjectId } from "../../publish/object.ts";
import { parseTree, type TreeEntry } from "../../publish/tree-entry.ts";
import { parseBatch } from "./cat-file-batch.ts";
import type { PersonGit, PersonGitOptions } from "./person-git.ts";
import { remoteFailure } from "./remote-error.ts";
import { TargetReadFailure } from "../target.ts";
import type { RemoteUrl } from "../url.ts";

type Run = (words: readonly string[], options?: Partial<PersonGitOptions>) => ReturnType<PersonGit>;

export interface RemoteObjectsContext {
  readonly directory: string;
  readonly format: ObjectFormat;
  readonly url: RemoteUrl;
  /** Git in the private repository, without any transport. */
  readonly run: Run;
  /** The same, with the transport of the remote. */
  readonly reach: Run;
}

// `--progress`, because the gate would take a silent transfer for one that is stuck.
const quiet = ["--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
const BASE = "refs/sallyport/base";

export class RemoteObjects {
  readonly #context: RemoteObjectsContext;
  readonly #trees = new Map<ObjectId, Promise<readonly TreeEntry[]>>();
  /** One git process reads all trees that callers ask for at the same time. */
  #waiting: { readonly ids: ObjectId[]; readonly read: Promise<ReadonlyMap<ObjectId, Uint8Array>> } | null = null;

  constructor(context: RemoteObjectsContext) {
    this.#context = context;
  }

  get directory(): string {
    return this.#context.directory;
  }

  /** Returns the tree of `commit`, to which `source` must still point. */
  async fetchBase(source: string, commit: ObjectId): Promise<Result<ObjectId>> {
    const { url, reach, run } = this.#context;
    const fetchTip = (flags: readonly string[]) =>
      reach(["fetch", ...flags, ...quiet, "--", url.text, `+${source}:${BASE}`]);
    let fetched = await fetchTip(["--depth=1", "--filter=blob:none"]);
    // A server of plain files supports neither option.
    if (fetched.exitCode !== 0 && fetched.cut === null && /shallow|filter/i.test(fetched.stderr))
      fetched = await fetchTip([]);
    if (fetched.exitCode !== 0) return remoteFailure(url, fetched, "Reading");
    // Git has noted the remote as the source of missing objects. The gate removes that, so that git does not fetch by itself.
    await run(["config", "--remove-section", `remote.${url.text}`]);
    const content = (await this.#read([commit])).get(commit);
    const tree = /^tree ([0-9a-f]+)\n/.exec(content === undefined ? "" : new TextDecoder().decode(content))?.[1];
    if (tree !== undefined) return ok(tree);
    return remoteFailure(url, { stderr: "fatal: the branch moved while it was read; try again", cut: null }, "Reading");
  }

  readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    let known = this.#trees.get(id);
    if (known === undefined) {
      known = this.#readTree(id);
      this.#trees.set(id, known);
    }
    return known;
  }

  async #readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    this.#waiting ??= this.#gather();
    this.#waiting.ids.push(id);
    const content = (await this.#waiting.read).get(id);
    const entries = content === undefined ? null : parseTree(content, this.#context.format);
    if (entries === null) throw new Error(`there is no tree ${id} in ${this.#context.url.text}`);
    return entries;
  }

  #gather(): { ids: ObjectId[]; read: Promise<ReadonlyMap<ObjectId, Uint8Array>> } {
    const ids: ObjectId[] = [];
    const read = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#waiting = null;
      return this.#read(ids);
    });
    return { ids, read };
  }

  /** Fetches all missing blobs at once. Throws if the remote does not supply them. */
  async readBlobs(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, Uint8Array>> {
    const found = await this.#read(ids);
    const missing = [...new Set(ids)].filter((id) => !found.has(id));
    if (missing.length === 0) return found;
    const { url, reach } = this.#context;
    const fetched = await reach(["fetch", ...quiet, "--stdin", "--", url.text], {
      stdin: lines(missing),
      // Git fetches only the named objects, and does not tell the server which objects it has.
      config: [["fetch.negotiationAlgorithm", "noop"]],
    });
    if (fetched.exitCode !== 0) throw new TargetReadFailure(remoteFailure(url, fetched, "Reading").failure);
    const more = await this.#read(missing);
    const lost = missing.find((id) => !more.has(id));
    if (lost !== undefined) throw new Error(`there is no file ${lost} in ${url.text}`);
    return new Map([...found, ...more]);
  }

  async add(pack: AsyncIterable<Uint8Array>): Promise<void> {
    const indexed = await this.#context.run(["index-pack", "--stdin"], { stdin: pack });
    if (indexed.exitCode !== 0) throw new Error(`git index-pack: ${indexed.stderr.slice(0, 500)}`);
  }

  async #read(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, Uint8Array>> {
    if (ids.length === 0) return new Map();
    const { exitCode, stdout, stderr } = await this.#context.run(["cat-file", "--batch", "--buffer"], {
      stdin: lines([...new Set(ids)]),
    });
    if (exitCode !== 0) throw new Error(`git cat-file: ${stderr.slice(0, 500)}`);
    return parseBatch(stdout);
  }
}

async function* lines(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(texts.map((text) => `${text}\n`).join(""));
}
