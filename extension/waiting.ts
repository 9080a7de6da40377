// What the button and a notification say about the questions that wait: those of the paired gate, and those of this browser's own.
// Invariant: neither has words of an agent, because they are shown where anybody may look.

import type { QueueView } from "../src/web/api.ts";
import { get } from "../ui/client.ts";
import type { Live } from "../ui/live-events.ts";

const NOTIFICATION = "waiting";
/** The questions that the person was called for, as long as the browser runs: this worker is ended and started again. */
const KNOWN = "known";
/** The same, of the gate in this browser. It is also what is known of them until the gate reports again. */
const KNOWN_HERE = "known-here";
const ALARM = "waiting-here";
const LOOK_MINUTES = 0.5;
/** The page's colour for a high risk, in its light scheme. */
const BADGE_COLOUR = "#a3261b";

let pairing: "none" | "lost" | "live" = "none";
let waitingThere = 0;
let last = "";

export async function showUnpaired(): Promise<void> {
  pairing = "none";
  waitingThere = 0;
  await showButton();
}

/** Of the paired gate. */
export async function showState({ state, isConnected }: Live): Promise<void> {
  pairing = isConnected ? "live" : "lost";
  waitingThere = isConnected ? (state?.waiting ?? 0) : 0;
  await showButton();
  if (!isConnected || state === null || state.version === last) return;
  const ids = waitingThere === 0 ? [] : (await get<QueueView>("/api/queue")).questions.map(({ id }) => id);
  await callPerson(KNOWN, ids);
  last = state.version;
}

/** Of the gate in this browser. */
export async function showWaitingHere(ids: readonly string[]): Promise<void> {
  const call = callPerson(KNOWN_HERE, ids);
  // Its document may end without a word, and then nothing waits any more.
  if (ids.length === 0) await chrome.alarms.clear(ALARM);
  else await chrome.alarms.create(ALARM, { periodInMinutes: LOOK_MINUTES });
  await call;
  await showButton();
}

let shown: Promise<void> = Promise.resolve();

/** One after another, so that the newest stays. */
export function showButton(): Promise<void> {
  return (shown = shown.catch(() => undefined).then(drawButton));
}

async function drawButton(): Promise<void> {
  const waiting = (await waitingHere()) + waitingThere;
  await chrome.action.setBadgeBackgroundColor({ color: BADGE_COLOUR });
  await chrome.action.setBadgeText({ text: waiting === 0 ? "" : waiting > 99 ? "99+" : String(waiting) });
  const problem = pairing === "none" ? "not paired" : pairing === "lost" ? "the gate does not answer" : null;
  const words = [
    waiting === 0 && problem !== null ? null : waitingText(waiting),
    pairing === "lost" || waiting === 0 ? problem : null,
  ];
  await chrome.action.setTitle({ title: `Sallyport: ${words.filter((word) => word !== null).join("; ")}` });
}

async function waitingHere(): Promise<number> {
  const open = await chrome.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] });
  return open.length === 0 ? 0 : (await knownOf(KNOWN_HERE)).length;
}

async function knownOf(key: string): Promise<readonly string[]> {
  return ((await chrome.storage.session.get(key))[key] as readonly string[] | undefined) ?? [];
}

function waitingText(waiting: number): string {
  return waiting === 0 ? "nothing waits for you" : waiting === 1 ? "a question waits" : `${waiting} questions wait`;
}

/** Once for each question, also if the worker was ended meanwhile; not while the panel is open. */
async function callPerson(key: typeof KNOWN | typeof KNOWN_HERE, ids: readonly string[]): Promise<void> {
  const known = new Set(await knownOf(key));
  await chrome.storage.session.set({ [key]: ids });
  const waiting = (await waitingHere()) + (key === KNOWN ? ids.length : waitingThere);
  if (waiting === 0) await chrome.notifications.clear(NOTIFICATION);
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
