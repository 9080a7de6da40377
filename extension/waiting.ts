// What the button and a notification say about the questions that wait.
// Invariant: neither has words of an agent, because they are shown where anybody may look.

import type { QueueView } from "../src/web/api.ts";
import { get } from "../ui/client.ts";
import type { Live } from "../ui/live-events.ts";

const NOTIFICATION = "waiting";
const KNOWN = "known";
/** The page's colour for a high risk, in its light scheme. */
const BADGE_COLOUR = "#a3261b";

export async function showUnpaired(): Promise<void> {
  await chrome.action.setBadgeText({ text: "" });
  await chrome.action.setTitle({ title: "Sallyport: not paired" });
}

let last = "";

export async function showState({ state, isConnected }: Live): Promise<void> {
  const waiting = isConnected ? (state?.waiting ?? 0) : 0;
  await chrome.action.setBadgeBackgroundColor({ color: BADGE_COLOUR });
  await chrome.action.setBadgeText({ text: waiting === 0 ? "" : waiting > 99 ? "99+" : String(waiting) });
  await chrome.action.setTitle({
    title: `Sallyport: ${isConnected ? waitingText(waiting) : "the gate does not answer"}`,
  });
  if (!isConnected || state === null || state.version === last) return;
  await callPerson(waiting);
  last = state.version;
}

function waitingText(waiting: number): string {
  return waiting === 0 ? "nothing waits for you" : waiting === 1 ? "a question waits" : `${waiting} questions wait`;
}

/** Once for each question, also if the worker was ended meanwhile; not while the panel is open. */
async function callPerson(waiting: number): Promise<void> {
  const ids = waiting === 0 ? [] : (await get<QueueView>("/api/queue")).questions.map(({ id }) => id);
  const known = new Set((await chrome.storage.session.get(KNOWN))[KNOWN] as readonly string[] | undefined);
  await chrome.storage.session.set({ [KNOWN]: ids });
  if (ids.length === 0) await chrome.notifications.clear(NOTIFICATION);
  if (ids.every((id) => known.has(id))) return;
  const open = await chrome.runtime.getContexts({ contextTypes: ["SIDE_PANEL"] });
  if (open.length > 0) return;
  await chrome.notifications.create(NOTIFICATION, {
    type: "basic",
    iconUrl: chrome.runtime.getURL("icons/128.png"),
    title: waiting === 1 ? "A question waits for you" : `${waiting} questions wait for you`,
    message: "Open the side panel to read and answer.",
  });
}
