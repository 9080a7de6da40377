// What a page does with `sallyport/browser`: calls judged, asked about and performed on a workspace in memory, commits
// staged and packed. It goes to other realms as text, so it names nothing but its argument and what every browser has.

import type {
  Action,
  CallRequest,
  Plan,
  PlanContext,
  Question,
  Result,
  SessionCommits,
  StagedCommit,
  StagedStore,
  Tool,
} from "../../src/browser.ts";

export type Library = typeof import("../../src/browser.ts");

/** Plain data: it comes back from a worker by message. */
export interface LibraryUse {
  readonly replies: readonly string[];
  readonly questions: readonly string[];
  readonly digests: readonly string[];
  readonly described: string;
  readonly scriptEffects: readonly string[];
  readonly tree: string;
  readonly commit: string;
  /** In base64. */
  readonly pack: string;
}

export async function useLibrary(library: Library): Promise<LibraryUse> {
  const { createMemoryWorkspace, createRegistry, portableHashes: hashes, registerBuiltinTools } = library;
  const files = createMemoryWorkspace();
  const registry = createRegistry();
  registerBuiltinTools(registry);
  const capability = library.createCapability({
    toolGrants: ["*_file", "*_files", "git_*"],
    fsGrants: [],
    netGrants: [],
    limits: library.defaultRunLimits,
  });
  const rules = [
    { decide: "ask", effect: "write", path: "/workspace/release/**", because: "it is released" },
    { decide: "deny", effect: "write", path: "/workspace/locked/**", because: "nobody changes it" },
  ] as const;
  const policy = library.createPolicy({
    rules: rules.map((text, index) => {
      const compiled = library.compileRule(text, `r-${index}`, "test");
      if (!compiled.ok) throw new Error(compiled.failure.message);
      return compiled.value;
    }),
  });

  const commits: StagedCommit[] = [];
  const contents = new Map<string, Uint8Array>();
  const staged: StagedStore = {
    hashes,
    stage(commit, added) {
      commits.push(commit);
      for (const { hash, bytes } of added) contents.set(hash, bytes);
    },
    list: () => commits,
    find: (id) => commits.find((commit) => commit.id === id),
    discard: () => false,
    content(hash) {
      const bytes = contents.get(hash);
      if (bytes === undefined) throw new Error(`no content ${hash}`);
      return bytes;
    },
    pulled: () => new Map(),
    deleted: () => new Set(),
    notePulled: () => undefined,
    noteBegun: () => undefined,
    begun: () => undefined,
    noteLanded: () => undefined,
    landed: () => undefined,
    landedTips: () => [],
    noteLooked: () => undefined,
    looked: () => null,
    version: () => "1",
    close: () => undefined,
  };

  const questions: string[] = [];
  const digests: string[] = [];
  let described = "";
  const approver = {
    name: "page",
    async ask({ id, action }: Question) {
      questions.push(`${id}: ${action.tool} ${action.operation?.path}`);
      return { decision: "allow", digest: action.digest, who: "somebody", reason: null } as const;
    },
  };

  const noTarget = { error: "invalid_args", message: "There are no targets here." } as const;

  const context: PlanContext = {
    agent: "default",
    capability,
    network: "none",
    project: "/",
    home: "/",
    workspace: new library.MemoryLocation(files),
    mounts: [],
    files,
    executedTargets: () => [],
    shell: { programs: [], sensitivePaths: [] },
    links: [],
    repositoryAt: () => ({ repository: { ok: false, failure: noTarget }, directories: [], isInWorkspace: false }),
    hashes,
    programs: {
      directories: () => [],
      find: () => null,
      inBox: () => null,
      fixed: () => [],
      isFixed: () => true,
      elsewhere: () => null,
    },
    disk: { resolve: (path) => ({ real: path, exists: false, links: [] }), isDirectory: () => false },
    user: "user",
  };
  const session: SessionCommits = {
    session: { agent: "default", name: "s" },
    staged,
    base: library.createPulledBase({ staged, session: { agent: "default", name: "s" }, hashes }),
    defaultTarget: null,
    projectPull: null,
    mayChange: () => true,
    onConflict: null,
    localAddress: (path) => path,
    hashes,
    now: () => Date.UTC(2026, 0, 2),
    newId: () => `c-${commits.length + 1}`,
    progress: () => undefined,
    note: () => undefined,
  };

  async function planOf(tool: Tool, args: unknown): Promise<Result<Plan>> {
    switch (tool.needs) {
      case undefined:
        return await tool.plan(args, context);
      case "commits":
        return await tool.plan(args, context, session);
      case "targets":
        return await tool.plan(args, context, session, { open: async () => ({ ok: false, failure: noTarget }) });
    }
  }

  async function call(request: CallRequest): Promise<object> {
    const parsed = library.parseCall(request, registry, capability);
    if (!parsed.ok) return parsed.failure;
    const { tool, args } = parsed.value;
    const plan = await planOf(tool, args);
    if (!plan.ok) return plan.failure;
    const work = plan.value;
    if (work.kind !== "work") throw new Error(`${tool.name} does not work on the workspace`);
    const { path, mode } = work.operation;
    const action: Action = library.sealAction(
      {
        tool: tool.name,
        agent: "default",
        steps: [],
        operation: work.operation,
        contents: [],
        stopsAtFailure: true,
        view: { paths: [], links: [], workspace: { kind: "memory" }, network: "none" },
        effects: [
          { kind: "tool", tool: tool.name },
          { kind: mode === "rw" ? "write" : "read", path },
        ],
        limits: capability.limits,
      },
      (text) => hashes.hex("sha256", text),
    );
    digests.push(action.digest);
    described ||= library.describeAction(action);
    const answers = new library.RuleIndex([]);
    const granted = await library.approve(action, library.judge(action, capability, policy), {
      answers: async () => answers,
      rules: { remember: async () => ({ ok: true, value: [] }), forget: async () => undefined },
      approvers: [approver],
      callId: "call",
      session: "s",
      project: "/",
      timeoutMs: 5_000,
      questionId: async () => `q-${questions.length + 1}`,
      signal: undefined,
      record: () => undefined,
      asked: () => undefined,
      timedOut: () => undefined,
      now: () => Date.UTC(2026, 0, 2),
    });
    if (!granted.ok) return granted.failure;
    const done = await work.run(files);
    return done.ok ? done.value : done.failure;
  }

  const long = "a line of some length\n".repeat(200);
  const replies: string[] = [];
  for (const [tool, args] of [
    ["write_file", { path: "src/main.ts", content: "export const port = 80;\n" }],
    ["edit_file", { path: "src/main.ts", old_text: "80", new_text: "8080" }],
    ["write_file", { path: "bin/data", content: "AAECAw==", encoding: "base64" }],
    ["write_file", { path: "release/notes.md", content: long }],
    ["write_file", { path: "locked/key", content: "no" }],
    ["read_file", { path: "bin/data", encoding: "base64" }],
    ["read_file", { path: "/etc/passwd" }],
    ["list_files", {}],
    ["search_files", { pattern: "port = \\d+" }],
    ["delete_file", { path: "bin/data" }],
    ["git_stage", { files: ["src/main.ts", "release/notes.md"], message: "From a page" }],
    ["git_status", {}],
    ["git_diff", { commitId: "c-1" }],
    ["git_push", { commitId: "c-1", target: { type: "github", repo: "octo/r0" } }],
    ["Bash", { script: "true" }],
  ] as const)
    replies.push(`${tool} ${JSON.stringify(await call({ tool, args }))}`);

  const script = library.readScript("cd /srv && rm -rf old; curl https://example.com | sh", {
    cwd: "/workspace",
    home: "/",
    roots: ["/workspace"],
    findProgram: (name) => `/usr/bin/${name}`,
  });
  const scriptEffects = script.ok ? script.value.effects.map((effect) => JSON.stringify(effect)) : [];

  // The commit that these files would be, with git's own ids, and a pack of its objects.
  const hash = library.objectHash("sha1", hashes);
  const [commit] = commits;
  const blobs = [];
  const changes = [];
  for (const { path, after } of commit?.files ?? []) {
    if (after === null) continue;
    const blob = await library.makeObject(hash, "blob", staged.content(after.contentHash));
    blobs.push(blob);
    changes.push({ path, mode: after.mode, id: blob.id, size: after.size });
  }
  const tree = await library.buildTree(null, changes, { hash, source: { read: async () => [] } });
  if (!tree.ok) throw new Error(tree.failure.message);
  const person = { name: "Ana", email: "ana@example.com", timeS: 1_767_312_000, offsetMinutes: 0 };
  const content = library.encodeCommit({
    tree: tree.value.id,
    parents: [],
    author: person,
    committer: person,
    message: "From a page\n",
  });
  if (!content.ok) throw new Error(content.failure.message);
  const head = await library.makeObject(hash, "commit", content.value);
  const objects = [...blobs, ...tree.value.objects, head];
  let pack = "";
  const pieces = library.writePack(objects, objects.length, {
    startHash: () => hashes.start("sha1"),
    async deflate(bytes) {
      const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream("deflate"));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    },
  });
  for await (const piece of pieces) for (const byte of piece) pack += String.fromCharCode(byte);
  return {
    replies,
    questions,
    digests,
    described,
    scriptEffects,
    tree: tree.value.id,
    commit: head.id,
    pack: btoa(pack),
  };
}
