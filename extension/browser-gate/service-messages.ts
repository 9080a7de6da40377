// What the service worker does for the panel and the offscreen document: it opens the gate, keeps secrets in memory, and a note of what
// is stored.
// It hears which questions wait there, too.
// Invariant: no message gives the panel a secret, and nobody but pages of this extension is answered.

import { showWaitingHere } from "../waiting.ts";
import { isFromPage, type MessageSender, secretNames, type ServiceRequest } from "./messages.ts";

const offscreenPage = "browser-gate/offscreen.html";

// SECURITY(T90): who sends is what the browser says. Pages of other origins and other extensions have no listener to reach at all.
export function answerServiceRequests(): void {
  chrome.runtime.onMessage.addListener((message, sender, reply) => {
    const request = message as ServiceRequest;
    const work = workFor(request, sender);
    if (work === null) return false;
    work.then(
      (value) => reply(value),
      () => reply(null),
    );
    return true;
  });
}

function workFor(request: ServiceRequest, sender: MessageSender): Promise<unknown> | null {
  const isFrom = (page: string): boolean =>
    isFromPage(sender, { id: chrome.runtime.id, page: chrome.runtime.getURL(page) });
  switch (request.kind) {
    case "open-gate":
      return isFrom("panel.html") ? openGate() : null;
    case "secret":
      return isFrom(offscreenPage) && secretNames.includes(request.name) ? readSecret(request.name) : null;
    case "keep-secret":
      return isFrom(offscreenPage) && secretNames.includes(request.name)
        ? chrome.storage.session.set({ [request.name]: request.value ?? "" })
        : null;
    case "stored-note":
      return isFrom(offscreenPage) ? readNote() : null;
    case "waiting":
      return isFrom(offscreenPage) ? showWaitingHere(request.ids) : null;
    case "keep-stored-note":
      return isFrom(offscreenPage) ? chrome.storage.local.set({ [NOTE]: request.note }) : null;
    default:
      return null;
  }
}

const NOTE = "stored";

async function readNote(): Promise<unknown> {
  return (await chrome.storage.local.get(NOTE))[NOTE];
}

async function readSecret(name: string): Promise<unknown> {
  return (await chrome.storage.session.get(name))[name];
}

let opening: Promise<void> | null = null;

/** One document at a time: two panels may ask at once. */
async function openGate(): Promise<boolean> {
  opening ??= createOffscreen().finally(() => (opening = null));
  await opening;
  return true;
}

async function createOffscreen(): Promise<void> {
  const open = await chrome.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] });
  if (open.length > 0) return;
  await chrome.offscreen.createDocument({
    url: offscreenPage,
    reasons: ["WORKERS"],
    justification: "The gate works in a worker, beside the frame in which programs run.",
  });
}
