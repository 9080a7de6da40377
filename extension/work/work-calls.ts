// What the panel asks of the gate in the browser (src/web/api-work.ts).
// Invariant: a "no" of the gate, in whatever form it comes, is an error here, so that no view can take it for a yes.

import type { Json } from "../../src/shared/json.ts";
import { fieldsOf } from "../../src/shared/json.ts";
import type {
  AgentRequest,
  CallMessage,
  FileEdit,
  KeyRequest,
  ModelSettings,
  OpenRequest,
  WorkSettings,
} from "../../src/web/api-work.ts";
import { ApiError, del, request } from "../../ui/client.ts";

type Result = Readonly<Record<string, unknown>>;

async function send(method: string, path: string, body: unknown): Promise<Result> {
  const response = await request(method, `/api/work/${path}`, body);
  const said = fieldsOf(await response.json().catch(() => null));
  if (said["ok"] !== false) return fieldsOf(said["result"]);
  throw new ApiError(409, {
    error: textOf(said["error"]) ?? "internal",
    message: textOf(said["message"]) ?? "The gate said no, and did not say why.",
    ...(textOf(said["hint"]) === null ? {} : { hint: String(said["hint"]) }),
  });
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export interface ChangedSettings {
  readonly clientId?: WorkSettings["clientId"];
  readonly githubUrl?: string;
  readonly model?: Omit<ModelSettings, "hasKey"> | null;
}

export const workCalls = {
  changeSettings: (settings: ChangedSettings) => send("PUT", "settings", settings),
  keepKey: (key: string) => send("PUT", "key", { key } satisfies KeyRequest),
  signIn: () => send("POST", "sign-in", {}),
  signOut: () => del("/api/work/sign-in"),
  open: (asked: OpenRequest) => send("POST", "open", asked),
  discard: () => del("/api/work/open"),
  save: (edit: FileEdit) => send("PUT", "file", edit),
  call: (tool: string, args: { readonly [name: string]: Json }) =>
    send("POST", "call", { tool, arguments: args } satisfies CallMessage),
  startAgent: (task: string) => send("POST", "agent", { task } satisfies AgentRequest),
  stopAgent: () => del("/api/work/agent"),
  noteDamageRead: () => del("/api/work/damage"),
} as const;
