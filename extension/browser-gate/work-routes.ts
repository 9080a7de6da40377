// What only the gate of a browser has: src/web/api-work.ts, for the side panel.

import { type Context, Hono } from "hono";
import { z } from "zod";
import { parseGithubRepo } from "../../src/git/target/url.ts";
import { secretsUrl } from "../../src/git/target/github/github-send.ts";
import { limits } from "../../src/shared/limits.ts";
import type { Result } from "../../src/shared/result.ts";
import type { WorkState } from "../../src/web/api-work.ts";
import { changeRoutes } from "../../src/web/change-routes.ts";
import { fileViews } from "../../src/web/file-views.ts";
import { readBody } from "../../src/web/read-body.ts";
import { refuseFailure } from "../../src/web/refuse.ts";
import { listBranches, listRepositories } from "./github-lists.ts";
import type { Kept } from "./kept.ts";
import type { SignIn } from "./sign-in.ts";
import { noDraft, type Work } from "./work.ts";

export interface WorkRoutesContext {
  readonly work: Work;
  readonly kept: Kept;
  readonly signIn: SignIn;
}

/** Each character of a text can take six bytes in JSON. */
const EDIT_BYTES = 6 * limits.editedFileBytes + limits.pageBodyBytes;

const short = z.string().min(1).max(300);
const address = short.refine(isSecretsUrl, "must be https");
const settingsRequest = z
  .strictObject({
    clientId: short.nullable(),
    githubUrl: address,
    model: z
      .object({
        provider: z.enum(["anthropic", "openai", "google"]),
        name: z.string().max(200),
        baseUrl: address.nullable(),
      })
      .nullable(),
  })
  .partial();
const keyRequest = z.strictObject({ key: z.string().min(1).max(2_000) });
const openRequest = z.strictObject({ repository: short, branch: short });
const callMessage = z.strictObject({ tool: short, arguments: z.record(z.string(), z.unknown()) });
const agentRequest = z.strictObject({ task: z.string().min(1).max(20_000) });
const fileEdit = z.strictObject({
  path: z.string().min(1).max(4_096),
  text: z.string().max(limits.editedFileBytes),
  hash: z.string().max(200).nullable(),
});

export function workRoutes({ work, kept, signIn }: WorkRoutesContext): Hono {
  const routes = new Hono();
  const state = async (c: Context) => c.json<WorkState>(await work.state());
  routes.get("/work", state);
  routes.put("/work/settings", async (c) => {
    const body = await readBody(c, settingsRequest);
    if (body instanceof Response) return body;
    const before = kept.read("settings");
    const { clientId = before.clientId, model = before.model } = body;
    const githubUrl = body.githubUrl === undefined ? before.githubUrl : secretsUrl(body.githubUrl);
    // A token is for the GitHub that gave it, and a key for the model that it was given for.
    if (githubUrl !== before.githubUrl) await signIn.end();
    if (model?.provider !== before.model?.provider || model?.baseUrl !== before.model?.baseUrl)
      await work.keepModelKey(null);
    kept.keep("settings", { clientId, githubUrl, model });
    work.changed();
    return await state(c);
  });
  routes.put("/work/key", async (c) => {
    const body = await readBody(c, keyRequest);
    if (body instanceof Response) return body;
    await work.keepModelKey(body.key);
    return await state(c);
  });
  routes.post("/work/sign-in", async (c) => answer(c, await signIn.begin()));
  routes.delete("/work/sign-in", async (c) => {
    await signIn.end();
    return c.body(null, 204);
  });
  routes.get("/work/repositories", async (c) => {
    const access = signIn.access();
    return answer(c, access.ok ? await listRepositories(access.value, c.req.query("search") ?? "") : access);
  });
  routes.get("/work/branches", async (c) => {
    const repo = parseGithubRepo(c.req.query("repository") ?? "");
    if (!repo.ok) return refuseFailure(c, repo.failure);
    const access = signIn.access();
    const { owner, name } = repo.value;
    return answer(c, access.ok ? await listBranches(access.value, `${owner}/${name}`) : access);
  });
  routes.post("/work/open", async (c) => {
    const body = await readBody(c, openRequest);
    return body instanceof Response ? body : answer(c, await work.open(body));
  });
  routes.delete("/work/open", async (c) => {
    await work.discard();
    return c.body(null, 204);
  });
  routes.post("/work/agent", async (c) => {
    const body = await readBody(c, agentRequest);
    if (body instanceof Response) return body;
    const started = await work.startAgent(body.task);
    return started.ok ? await state(c) : refuseFailure(c, started.failure);
  });
  routes.delete("/work/agent", (c) => {
    void work.agent.stop();
    return c.body(null, 204);
  });
  routes.delete("/work/damage", (c) => {
    work.noteDamageRead();
    return c.body(null, 204);
  });
  return routes.route("/", draftRoutes(work));
}

/** The files of the draft, its changes, and the person's calls in its session. */
function draftRoutes(work: Work): Hono {
  const routes = new Hono();
  routes.get("/work/files", async (c) => answer(c, (await work.draft?.view.list()) ?? noDraft()));
  routes.get("/work/file", async (c) =>
    answer(c, (await work.draft?.view.file(c.req.query("path") ?? "")) ?? noDraft()),
  );
  routes.put("/work/file", async (c) => {
    const body = await readBody(c, fileEdit, EDIT_BYTES);
    if (body instanceof Response) return body;
    const { draft } = work;
    if (draft === null) return refuseFailure(c, noDraft().failure);
    const { path, text, hash } = body;
    const reply = await draft.person.call({ tool: "write_file", args: { path, content: text, replaces: hash } });
    work.changed();
    return c.json(reply);
  });
  routes.get("/work/changes", async (c) => {
    const changes = await work.draft?.view.changes();
    if (changes?.ok !== true) return answer(c, changes ?? noDraft());
    const { digest, change } = changes.value;
    return c.json({ digest, view: fileViews(change.files) });
  });
  const find = async (digest: string) => {
    const changes = await work.draft?.view.changes();
    return changes?.ok === true && changes.value.digest === digest ? changes.value.change : undefined;
  };
  routes.route("/work/changes", changeRoutes(find));
  routes.post("/work/call", async (c) => {
    const body = await readBody(c, callMessage);
    if (body instanceof Response) return body;
    const { draft } = work;
    if (draft === null) return refuseFailure(c, noDraft().failure);
    const reply = await draft.person.call({ tool: body.tool, args: body.arguments });
    work.changed();
    return c.json(reply);
  });
  return routes;
}

function answer<T>(c: Context, result: Result<T>): Response {
  return result.ok ? c.json(result.value as object) : refuseFailure(c, result.failure);
}

function isSecretsUrl(text: string): boolean {
  try {
    secretsUrl(text);
    return true;
  } catch {
    return false;
  }
}
