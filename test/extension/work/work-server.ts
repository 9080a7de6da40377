// A server that speaks src/web/api-work.ts as the gate in the browser does, for the views of the panel. The draft and the questions are
// real diffs; the test says what happens next, such as a full storage or a file that somebody else writes.

import { createHash } from "node:crypto";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { serve, type ServerType } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Question } from "../../../src/approval/approver.ts";
import type { AnswerRequest, AnswerTaken, LiveState, QueueView } from "../../../src/web/api.ts";
import type { CallMessage, FileEdit, OpenRequest, WorkState } from "../../../src/web/api-work.ts";
import { changeRoutes, type ReviewedChange } from "../../../src/web/change-routes.ts";
import { fileViews } from "../../../src/web/file-views.ts";
import { pageFiles } from "../../../src/web/page-files.ts";
import { questionRow, questionView } from "../../../src/web/question-view.ts";
import { type Change, diffOf, pushQuestion } from "../../fixtures/push-question.ts";
import { testPage } from "../../fixtures/test-page.ts";

const policy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const firstState: WorkState = {
  settings: { clientId: null, githubUrl: "https://github.com", model: null },
  account: null,
  signIn: null,
  open: null,
  agent: null,
  storage: { usedBytes: 0, quotaBytes: 2_000_000_000, isPersisted: false },
};

/** A person who has signed in and opened a repository. */
export const openState: WorkState = {
  ...firstState,
  settings: {
    clientId: "Iv1.of-nobody",
    githubUrl: "https://github.com",
    model: { provider: "anthropic", name: "claude-sonnet-5", baseUrl: null, hasKey: true },
  },
  account: { login: "octo" },
  open: {
    repository: "octo/shop",
    branch: "main",
    session: "w-1",
    commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
    changed: 0,
  },
  storage: { usedBytes: 3_210_000, quotaBytes: 2_000_000_000, isPersisted: false },
};

type Refusal = readonly [status: 400 | 404 | 409 | 500 | 502 | 503, error: string, message: string, hint?: string];

export interface WorkServer {
  readonly url: string;
  readonly work: WorkState;
  /** The draft, and the commit that it began at. */
  readonly files: Map<string, string | null>;
  readonly base: Map<string, string>;
  /** Every request but readings, as `POST /api/work/call git_push`. */
  readonly asked: string[];
  /** Refuses each request whose line begins so, until it is taken away. */
  readonly refusals: Map<string, Refusal>;
  /** What other calls give than those of the draft and of pushing, by their tool. */
  readonly results: Map<string, object>;
  change(change: Partial<WorkState>): void;
  /** As the agent would. Null deletes. */
  write(path: string, text: string | null): void;
  /** A question of the agent's, which nobody here waits for. */
  ask(question: Question): void;
}

const builtPage = testPage(join(import.meta.dirname, "page"));

export async function openWorkServer(t: TestContext, first: WorkState = openState): Promise<WorkServer> {
  const server = new Server(await builtPage(), first);
  const listening: ServerType = serve({ fetch: server.app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise<void>((resolve) => listening.on("listening", resolve));
  t.after(() => {
    server.end();
    listening.close();
  });
  server.url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  return server;
}

interface Waiting {
  readonly question: Question;
  readonly answered: (decision: "allow" | "deny") => void;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

class Server implements WorkServer {
  url = "";
  work: WorkState;
  readonly files = new Map<string, string | null>();
  readonly base = new Map<string, string>();
  readonly asked: string[] = [];
  readonly refusals = new Map<string, Refusal>();
  readonly results = new Map<string, object>();
  readonly app = new Hono();
  readonly #waiting = new Map<string, Waiting>();
  readonly #readers = new Set<(text: string) => void>();
  readonly #staged = new Map<string, readonly string[]>();
  #count = 0;

  constructor(page: string, first: WorkState) {
    this.work = first;
    const { app } = this;
    app.use(async (c, next) => {
      await next();
      c.res.headers.set("content-security-policy", policy);
    });
    app.use("/api/*", async (c, next) => {
      const line = `${c.req.method} ${c.req.path}`;
      if (c.req.method !== "GET") this.asked.push(line);
      const refusal = [...this.refusals].find(([begin]) => line.startsWith(begin))?.[1];
      if (refusal === undefined) return await next();
      const [status, error, message, hint] = refusal;
      return c.json({ error, message, ...(hint === undefined ? {} : { hint }) }, status);
    });
    app.get("/api/events", (c) => this.#stream(c));
    this.#settings();
    this.#draft();
    this.#questions();
    // The gate of the other place, at which nothing waits.
    app.get("/other/api/events", (c) => this.#stream(c));
    app.get("/other/api/queue", (c) => c.json<QueueView>({ questions: [], staged: [] }));
    app.get("/api/log", (c) => c.json({ entries: [], next: null }));
    app.get("*", pageFiles(page));
  }

  change(change: Partial<WorkState>): void {
    this.work = { ...this.work, ...change };
    this.#report();
  }

  write(path: string, text: string | null): void {
    this.files.set(path, text);
    const { open } = this.work;
    this.change({ open: open === null ? null : { ...open, changed: this.#changes().length } });
  }

  ask(question: Question, answered: Waiting["answered"] = () => undefined): void {
    this.#waiting.set(question.id, { question, answered });
    this.#report();
  }

  end(): void {
    this.#readers.clear();
  }

  #report(): void {
    this.#count += 1;
    const state: LiveState = {
      waiting: this.#waiting.size,
      staged: 0,
      version: String(this.#count),
      lastSeq: this.#count,
      unlanded: 0,
      changes: "",
      devices: "",
    };
    const events = `event: state\ndata: ${JSON.stringify(state)}\n\nevent: work\ndata: ${JSON.stringify(this.work)}\n\n`;
    for (const send of this.#readers) send(events);
  }

  #stream(c: Context): Response {
    const encoder = new TextEncoder();
    let reader: (text: string) => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        reader = (text) => controller.enqueue(encoder.encode(text));
        this.#readers.add(reader);
        this.#report();
      },
      cancel: () => void this.#readers.delete(reader),
    });
    return c.body(body, 200, { "Content-Type": "text/event-stream" });
  }

  #settings(): void {
    const { app } = this;
    app.get("/api/work", (c) => c.json(this.work));
    app.put("/api/work/settings", async (c) => {
      const { model, ...rest } = (await c.req.json()) as Partial<WorkState["settings"]>;
      const hasKey = this.work.settings.model?.hasKey ?? false;
      const changed = model === undefined ? {} : { model: model === null ? null : { ...model, hasKey } };
      this.change({ settings: { ...this.work.settings, ...rest, ...changed } });
      return c.body(null, 204);
    });
    app.put("/api/work/key", (c) => {
      const { model } = this.work.settings;
      this.change({ settings: { ...this.work.settings, model: model === null ? null : { ...model, hasKey: true } } });
      return c.body(null, 204);
    });
    app.post("/api/work/sign-in", (c) => {
      const until = new Date(Date.now() + 900_000).toISOString();
      const verificationUrl = `${this.work.settings.githubUrl}/login/device`;
      this.change({ signIn: { kind: "waiting", userCode: "WDJB-0001", verificationUrl, until } });
      return c.body(null, 204);
    });
    app.delete("/api/work/sign-in", (c) => {
      this.change({ signIn: null, account: null });
      return c.body(null, 204);
    });
    app.get("/api/work/repositories", (c) => {
      const all = ["octo/shop", "octo/site", "acme/prices"].map((name) => ({
        name,
        defaultBranch: "main",
        isPrivate: name.startsWith("acme"),
      }));
      const search = c.req.query("search") ?? "";
      return c.json({ repositories: all.filter(({ name }) => name.includes(search)), hasMore: false });
    });
    app.get("/api/work/branches", (c) => c.json({ branches: ["main", "next"], hasMore: false }));
    app.post("/api/work/agent", async (c) => {
      const { task } = (await c.req.json()) as { task: string };
      this.change({ agent: { isRunning: true, problem: null, lines: [{ kind: "task", text: task }] } });
      return c.body(null, 204);
    });
    app.delete("/api/work/agent", (c) => {
      this.change({ agent: this.work.agent === null ? null : { ...this.work.agent, isRunning: false } });
      return c.body(null, 204);
    });
  }

  #draft(): void {
    const { app } = this;
    app.post("/api/work/open", async (c) => {
      const asked = (await c.req.json()) as OpenRequest;
      for (const [path, text] of this.base) this.files.set(path, text);
      this.change({ open: { ...openState.open, ...asked, changed: 0 } as WorkState["open"] });
      return c.json({ ok: true, result: {} });
    });
    app.delete("/api/work/open", (c) => {
      this.change({ open: null, agent: null });
      return c.body(null, 204);
    });
    app.get("/api/work/files", (c) => {
      const paths = [...this.files].filter(([, text]) => text !== null).map(([path]) => path);
      const changed = new Map(this.#changes().map(([path, before]) => [path, before === null ? "added" : "modified"]));
      return c.json({
        files: paths.toSorted().map((path) => ({ path, bytes: 1, change: changed.get(path) ?? null })),
        removed: [...this.base.keys()].filter((path) => (this.files.get(path) ?? null) === null),
      });
    });
    app.get("/api/work/file", (c) => {
      const path = c.req.query("path") ?? "";
      const text = this.files.get(path) ?? null;
      if (text === null) return c.json({ error: "not_found", message: "There is no such file." }, 404);
      const isText = !text.includes("\0");
      return c.json({ path, text: isText ? text : null, bytes: Buffer.byteLength(text), hash: hashOf(text) });
    });
    app.put("/api/work/file", async (c) => {
      const { path, text, hash } = (await c.req.json()) as FileEdit;
      const now = this.files.get(path) ?? null;
      if ((now === null ? null : hashOf(now)) !== hash)
        return c.json({
          ok: false,
          error: "changed",
          message: `${path} was changed meanwhile, so nothing was written.`,
        });
      this.write(path, text);
      return c.json({ ok: true, result: { path, operation: now === null ? "create" : "update", size: text.length } });
    });
    app.get("/api/work/changes", (c) => {
      const files = diffOf(this.#changes());
      return c.json({ digest: hashOf(JSON.stringify(this.#changes())).slice(0, 16), view: fileViews(files) });
    });
    app.route(
      "/api/work/changes",
      changeRoutes(() => Promise.resolve(this.#reviewed())),
    );
    app.post("/api/work/call", async (c) => {
      const { tool, arguments: args } = (await c.req.json()) as CallMessage;
      this.asked.push(`${this.asked.pop()} ${tool} ${JSON.stringify(args)}`);
      return c.json(await this.#call(tool, args as Record<string, never>));
    });
  }

  async #call(tool: string, args: Record<string, never>): Promise<object> {
    if (tool === "delete_file") this.write(String(args["path"]), null);
    if (tool === "git_stage") {
      const id = `c-${this.#staged.size + 1}`;
      this.#staged.set(id, args["files"] as unknown as string[]);
      return { ok: true, result: { id, message: args["message"], files: [], createdAt: new Date().toISOString() } };
    }
    if (tool === "git_push") {
      const { branch } = args["target"] as unknown as { branch: string };
      const staged = this.#staged.get(String(args["commitId"])) ?? [];
      const changes = this.#changes().filter(([path]) => staged.includes(path));
      const question = { ...pushQuestion(changes, { branch, isNewBranch: true }), id: `q-${this.asked.length}` };
      const decision = await new Promise((resolve) => this.ask(question as Question, resolve));
      if (decision === "deny") return { ok: false, error: "approval_denied", message: "A person said no." };
      const { commit } = question.action.push ?? { commit: "" };
      const result = {
        commitSha: commit,
        branch,
        createdBranch: true,
        previousSha: null,
        filesChanged: changes.length,
      };
      return { ok: true, result: { ...result, target: "https://github.com/octo/shop" } };
    }
    return { ok: true, result: this.results.get(tool) ?? {} };
  }

  #changes(): readonly Change[] {
    const paths = [...new Set([...this.base.keys(), ...this.files.keys()])].toSorted();
    const all = paths.map((path): Change => [path, this.base.get(path) ?? null, this.files.get(path) ?? null]);
    return all.filter(([, before, after]) => before !== after);
  }

  #reviewed(): ReviewedChange {
    return {
      files: diffOf(this.#changes()),
      bytes: (side, { path }) => {
        const text = side === "before" ? this.base.get(path) : this.files.get(path);
        return Promise.resolve(text == null ? null : Buffer.from(text));
      },
    };
  }

  #questions(): void {
    const { app } = this;
    const queued = (question: Question) => ({ question, expiresAt: Date.now() + 300_000, answer: null });
    app.get("/api/queue", (c) => {
      const questions = [...this.#waiting.values()].map(({ question }) => questionRow(queued(question) as never));
      return c.json<QueueView>({ questions, staged: [] });
    });
    app.get("/api/questions/:id", (c) => {
      const found = this.#waiting.get(c.req.param("id"));
      if (found === undefined) return c.json({ error: "not_found", message: "It does not wait." }, 404);
      return c.json(questionView(queued(found.question) as never, { state: "awaited" } as never));
    });
    app.route(
      "/api/questions",
      changeRoutes((id) => {
        const diff = this.#waiting.get(id)?.question.diff;
        return Promise.resolve(diff === undefined ? undefined : { files: diff, bytes: () => Promise.resolve(null) });
      }),
    );
    app.post("/api/questions/:id/answer", async (c) => {
      const { decision, scope } = (await c.req.json()) as AnswerRequest;
      const found = this.#waiting.get(c.req.param("id"));
      this.#waiting.delete(c.req.param("id"));
      this.#report();
      setTimeout(() => found?.answered(decision), 300);
      return c.json<AnswerTaken>({ decision, scope, note: null, pickUp: { state: "taken", call: null } as never });
    });
  }
}
