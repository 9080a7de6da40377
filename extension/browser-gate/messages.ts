// What passes between the side panel, the service worker, the offscreen document and the gate's worker in it.
// The panel's requests and the gate's answers are those of the page's server; they go over a port of the extension, one port a request.

import type { OpenRequest } from "../../src/web/api-work.ts";

/** The name of the port of a request. */
export const requestPort = "sallyport-gate";

export interface PanelRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

/** The head comes once, then pieces, then the end. A port of the extension carries JSON alone, so bytes go as base64. */
export type GateAnswer =
  | { readonly kind: "head"; readonly status: number; readonly type: string }
  | { readonly kind: "piece"; readonly base64: string }
  | { readonly kind: "end" };

/** What is kept as long as the browser runs: secrets, of which none is ever on a disk. */
export const secretNames = ["github-token", "model-key"] as const;
export type SecretName = (typeof secretNames)[number];

/** What the extension remembers of the gate where the browser does not clear up: that something is stored, and of which draft. */
export interface StoredNote {
  readonly draft: OpenRequest | null;
}

/** To the service worker: from the panel, and from the offscreen document. */
export type ServiceRequest =
  | { readonly kind: "open-gate" }
  | { readonly kind: "secret"; readonly name: SecretName }
  | { readonly kind: "keep-secret"; readonly name: SecretName; readonly value: string | null }
  | { readonly kind: "stored-note" }
  | { readonly kind: "keep-stored-note"; readonly note: StoredNote }
  | WaitingReport;

/** The ids of the questions that wait in the gate of this browser. */
export interface WaitingReport {
  readonly kind: "waiting";
  readonly ids: readonly string[];
}

/** To the gate's worker, each with ports that come along. */
export type WorkerMessage =
  /** With the door of the box, and a port for secrets. First. */
  | { readonly kind: "open" }
  /** With the port of the request. */
  | { readonly kind: "request"; readonly request: PanelRequest }
  /** The browser has decided whether it promises to keep what is stored. */
  | { readonly kind: "persisted" };

/** Of the gate's worker. `cannot-open`: it has no stores, and says why to whoever asks, until the document ends. */
export type WorkerReport = { readonly kind: "cannot-open" } | WaitingReport;

/** A sender of a message, as the browser names it. */
export interface MessageSender {
  readonly id?: string | undefined;
  readonly url?: string | undefined;
}

/**
 * Whether a message comes from this page of this extension. SECURITY(T90): the browser says who sends; what a message says about itself
 * is not read. A frame of the box has no page of the extension as its address.
 */
export function isFromPage(
  sender: MessageSender | undefined,
  own: { readonly id: string; readonly page: string },
): boolean {
  if (sender?.id !== own.id || sender.url === undefined) return false;
  const url = URL.parse(sender.url);
  const page = URL.parse(own.page);
  return (
    url !== null &&
    page !== null &&
    url.protocol === page.protocol &&
    url.host === page.host &&
    url.pathname === page.pathname
  );
}
