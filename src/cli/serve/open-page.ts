// Opens the web page on loopback, for as long as a command runs.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Hono } from "hono";
import type { PageRole } from "../../approval/shared-store.ts";
import type { Config } from "../../config/load.ts";
import { pushPublicKey } from "../../notify/push-notice.ts";
import type { Backend } from "../../runtime/backend.ts";
import { createPushNotifier } from "../../runtime/push-notifier.ts";
import { systemClock } from "../../shared/clock.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { Devices } from "../../store/devices.ts";
import { loadPushKey } from "../../store/push-key.ts";
import { createPageApp, linkTo } from "../../web/app.ts";
import { readReport } from "../doctor/doctor-report.ts";
import { type GateFlags, loadFromFlags } from "../open-gate.ts";
import { userName } from "../terminal/own-terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { type Listening, listen, loopback } from "./listen.ts";
import type { OuterAddress } from "./outer-address.ts";

export interface OpenedPage {
  readonly url: string;
  readonly port: number;
  /** Where other devices reach it. Empty if it is for this machine only. */
  readonly outerUrls: readonly string[];
  /** A link that opens the page in one browser, once. */
  newLink(): string;
  close(): Promise<void>;
}

export interface OpenPageOptions {
  /** 0 takes any that is free. */
  readonly port: number;
  /** The flag with which a person chooses the port. */
  readonly flag: string;
  /** `serve` where it is not written. */
  readonly as?: PageRole;
  /** More routes of the same server, on loopback alone. */
  readonly mount?: Hono;
  /** Null: the page is for this machine only. */
  readonly outer?: OuterAddress | null;
}

/** Questions wait for whoever looks at the page from now on. */
export async function openPage(
  backend: Backend,
  flags: GateFlags,
  terminal: Terminal,
  { port: asked, flag, as = "serve", mount, outer = null }: OpenPageOptions,
): Promise<OpenedPage> {
  let port = 0;
  let outerPort = 0;
  const { stateDirectory } = backend.config;
  const devices = new Devices(stateDirectory);
  const outerUrls = (): readonly string[] =>
    (outer?.names ?? []).map((name) => `https://${name}${outerPort === 443 ? "" : `:${outerPort}`}`);
  const { push: terms } = backend.config;
  const push = outer === null || terms === null ? null : { key: loadPushKey(stateDirectory), terms };
  const notifier =
    push === null
      ? null
      : createPushNotifier({
          ...push,
          devices,
          contact: () => outerUrls()[0] ?? "",
          queue: () => backend.store.queue,
        });
  const page = createPageApp({
    answerService: backend.answerService,
    store: backend.store,
    journal: backend.journal,
    staged: backend.staged,
    backend,
    configFor: configFor(flags, terminal),
    command: backend.command,
    directories: backend.config,
    person: userName(),
    devices,
    clock: systemClock,
    pageDirectory: pageDirectory(),
    port: () => port,
    ...(outer === null ? {} : { outer: { names: outer.names, port: () => outerPort } }),
    ...(push === null ? {} : { push: { publicKey: pushPublicKey(push.key), terms: push.terms } }),
    machine: async () => (await readReport(flags, terminal.environment)) as unknown as Json,
    ...(mount === undefined ? {} : { mount: (app) => void app.route("/", mount) }),
    onFault: (fault) => void terminal.err.line(`sallyport: ${faultText(fault)}`).catch(() => undefined),
  });
  const listening: Listening[] = [];
  const end = async () => {
    await notifier?.close();
    await page.close();
    await Promise.all(listening.map((one) => one.close()));
    devices.close();
  };
  try {
    const inner = await listen(page.app, { host: loopback, port: asked, flag });
    listening.push(inner);
    ({ port } = inner);
    if (outer !== null) {
      const other = await listen(page.outerApp, { ...outer, flag: "--host" });
      listening.push(other);
      outerPort = other.port;
    }
  } catch (error) {
    await end();
    throw error;
  }
  const url = `http://${loopback}:${port}`;
  const watcher = await backend.store.queue.watch(as, url);
  backend.notifier.start();
  notifier?.start();
  return {
    url,
    port,
    outerUrls: outerUrls(),
    newLink: () => linkTo(url, page.newLink()),
    async close() {
      await watcher.leave();
      await end();
    },
  };
}

/** A configuration that cannot be read any more is the person's to mend. */
function configFor(flags: GateFlags, { environment }: Terminal) {
  return (project: string, workspace: "draft" | "memory"): Result<Config> => {
    try {
      return ok(loadFromFlags({ ...flags, project, workspace }, environment));
    } catch (error) {
      if (error instanceof UsageError) return fail("invalid_args", error.message);
      throw error;
    }
  };
}

/** The page's files: beside the compiled command, or in a clone of the repository. */
function pageDirectory(): string {
  const directories = ["../ui", "../../../dist/ui"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return directories.find((directory) => existsSync(`${directory}/index.html`)) ?? (directories[0] as string);
}

function faultText(fault: unknown): string {
  return displayText(fault instanceof Error ? fault.message : String(fault), { maxLength: 1_000 });
}
