// The extension with its own gate, and a GitHub in front of `emulate` that signs people in. What the panel would send goes over the
// panel's own ports, from the panel's own page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { QuestionView, QueueView } from "../../../src/web/api.ts";
import type { WorkState } from "../../../src/web/api-work.ts";
import { playDeviceFlow, type DeviceFlow } from "../../fixtures/github-device-flow.ts";
import { startGithubEmulator } from "../../fixtures/github-emulator.ts";
import { type FrontOptions, type GithubFront, openGithubFront } from "../../fixtures/github-front.ts";
import { until } from "../../fixtures/run.ts";
import { type ExtensionBrowser, openExtensionBrowser } from "../browser.ts";
import { runInPage } from "../in-page.ts";

export const token = "gho_a-token-of-nobody-0123456789";
export const clientId = "Iv1.of-the-test";

/** Sends one request over a port and reads the whole answer. It is text that runs in the panel. */
const sendText = `async (method, path, body) => {
  await chrome.runtime.sendMessage({ kind: "open-gate" });
  const port = chrome.runtime.connect({ name: "sallyport-gate" });
  return await new Promise((resolve) => {
    let status = 0;
    let text = "";
    port.onMessage.addListener((answer) => {
      if (answer.kind === "head") status = answer.status;
      else if (answer.kind === "piece") text += new TextDecoder().decode(Uint8Array.from(atob(answer.base64), (one) => one.charCodeAt(0)));
      else { port.disconnect(); resolve({ status, text }); }
    });
    port.onDisconnect.addListener(() => resolve({ status: 0, text: "" }));
    port.postMessage({ method, path, body: body === undefined ? null : JSON.stringify(body) });
  });
}`;

export interface Answered<T> {
  /** 0: the gate was closed before it answered. */
  readonly status: number;
  readonly body: T;
}

export interface OwnGate {
  readonly browser: ExtensionBrowser;
  readonly panel: Page;
  readonly front: GithubFront;
  readonly flow: DeviceFlow;
  readonly emulatorUrl: string;
  readonly ask: <T = Record<string, unknown>>(method: string, path: string, body?: object) => Promise<Answered<T>>;
  /** Says yes to every question until the work has ended. Returns what was asked, too. */
  withYes<T>(work: Promise<T>): Promise<{ readonly value: T; readonly asked: readonly QuestionView[] }>;
  state(): Promise<WorkState>;
  /** Shows the place for working in the panel, at this view. */
  showWork(hash: string): Promise<void>;
  /** At the server of the gate, or at another one. */
  signIn(at?: { readonly front: GithubFront; readonly flow: DeviceFlow }): Promise<void>;
  open(): Promise<void>;
  /** Closes the document of the worker, as the browser may. What the worker is doing in one piece it does to its end. */
  kill(): Promise<void>;
  /** Ends the process of the extension wherever it is, at that moment, as a lack of memory does, and opens the panel anew. Nobody is signed in then. */
  crash(moment: Promise<unknown>): Promise<void>;
}

/** A server of GitHub of its own, which gives this token to who signs in. */
export async function openEnterprise(
  t: TestContext,
  emulatorUrl: string,
  given: string,
  options: FrontOptions = {},
): Promise<{ readonly front: GithubFront; readonly flow: DeviceFlow }> {
  const flow = playDeviceFlow({ clientId, token: given, now: () => Date.now(), interval: { said: 1, needed: 0 } });
  const front = await openGithubFront(emulatorUrl, {
    ...options,
    play(request, response) {
      if (options.play?.(request, response) === true) return true;
      if (flow.play(request, response)) return true;
      request.url = (request.url ?? "").replace(/^\/api\/v3/, "");
      return false;
    },
  });
  t.after(() => front.close());
  return { front, flow };
}

export interface OwnGateOptions extends FrontOptions {
  /** Those of `octo`. */
  readonly repositories?: readonly string[];
}

/** Null: something is missing, and the test is skipped. */
export async function openOwnGate(
  t: TestContext,
  options: OwnGateOptions = {},
  beforePanel: (browser: ExtensionBrowser) => Promise<void> = async () => undefined,
): Promise<OwnGate | null> {
  const { repositories = ["r0"] } = options;
  const emulator = await startGithubEmulator({ owner: "octo", token, repositories });
  if (typeof emulator === "string") {
    t.skip(emulator);
    return null;
  }
  t.after(() => emulator.close());
  const { front, flow } = await openEnterprise(t, emulator.url, token, options);
  const browser = await openExtensionBrowser(t);
  await browser.allow("http://127.0.0.1/*");
  await beforePanel(browser);
  let panel = await browser.openPanel(380);
  // The panel asks right after a click of the person, who has allowed it above.
  await panel.mouse.click(5, 5);
  assert.ok(await runInPage(panel, `chrome.permissions.request({ origins: ["http://127.0.0.1/*"] })`));

  const ask = async <T>(method: string, path: string, body?: object): Promise<Answered<T>> => {
    const sent = [method, path, body].filter((one) => one !== undefined).map((one) => JSON.stringify(one));
    const { status, text } = await runInPage<{ status: number; text: string }>(
      panel,
      `(${sendText})(${sent.join(", ")})`,
    );
    return { status, body: (text === "" ? null : JSON.parse(text)) as T };
  };
  const withYes = async <T>(work: Promise<T>) => {
    const asked: QuestionView[] = [];
    let isOver = false;
    const ended = work.finally(() => (isOver = true));
    while (!isOver) {
      const { body: queue } = await ask<QueueView>("GET", "/api/queue");
      for (const { id } of queue?.questions ?? []) {
        const { body: question } = await ask<QuestionView>("GET", `/api/questions/${id}`);
        const answer = { decision: "allow", scope: "once", digest: question.digest };
        const { status } = await ask("POST", `/api/questions/${id}/answer`, answer);
        if (status === 200) asked.push(question);
      }
      await Promise.race([ended.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 50))]);
    }
    return { value: await ended, asked };
  };
  const state = async (): Promise<WorkState> => {
    const { status, body } = await ask<WorkState>("GET", "/api/work");
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return {
    browser,
    get panel() {
      return panel;
    },
    front,
    flow,
    emulatorUrl: emulator.url,
    ask,
    withYes,
    state,
    async signIn(at = { front, flow }) {
      assert.equal((await ask("PUT", "/api/work/settings", { clientId, githubUrl: at.front.url })).status, 200);
      const begun = await ask<{ userCode: string }>("POST", "/api/work/sign-in");
      assert.equal(begun.status, 200, JSON.stringify(begun.body));
      assert.ok(at.flow.answer(begun.body.userCode, true));
      await until("the person is signed in", async () => (await state()).account?.login === "octo");
    },
    async open() {
      const { value } = await withYes(ask("POST", "/api/work/open", { repository: "octo/r0", branch: "main" }));
      assert.equal(value.status, 200, JSON.stringify(value.body));
    },
    async showWork(hash) {
      await runInPage(panel, `localStorage.setItem("sallyport.place", "work")`);
      await panel.goto(`${browser.origin}/panel.html${hash}`);
      await panel.reload();
      await panel.getByText("Live", { exact: true }).waitFor();
    },
    async kill() {
      await runInPage(browser.worker, "chrome.offscreen.closeDocument()");
    },
    async crash(moment) {
      const crashed = panel.waitForEvent("crash", { timeout: 120_000 });
      const ids = extensionProcesses(await pageProcesses(browser));
      await moment;
      for (const id of ids) process.kill(id, "SIGKILL");
      await crashed;
      await panel.close();
      await browser.reload();
      panel = await browser.openPanel(380);
    },
  };
}

/** The processes of pages. */
export async function pageProcesses({ context }: ExtensionBrowser): Promise<readonly number[]> {
  const session = await context.browser()?.newBrowserCDPSession();
  assert.ok(session !== undefined);
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.flatMap(({ type, id }) => (type === "renderer" ? id : []));
}

function extensionProcesses(ids: readonly number[]): readonly number[] {
  return ids.filter((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--extension-process"));
}

/** What a call answers with. */
export interface CallReply {
  readonly ok: boolean;
  readonly result?: Record<string, unknown>;
  readonly error?: string;
  readonly message?: string;
}

export const call = async (gate: OwnGate, tool: string, args: object): Promise<CallReply> =>
  (await gate.withYes(gate.ask<CallReply>("POST", "/api/work/call", { tool, arguments: args }))).value.body;

export const readText = async (gate: OwnGate, path: string): Promise<string> =>
  (await gate.ask<{ text: string }>("GET", `/api/work/file?path=${path}`)).body.text;
