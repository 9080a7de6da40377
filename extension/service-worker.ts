// Wakes, counts and opens: shows on the button how many questions wait, calls the person when one comes, and opens the panel.
// The questions of the paired gate it follows itself; those of this browser's own gate are reported to it.
// Invariant: it answers no question. It takes messages of the panel and the offscreen document alone (browser-gate/service-messages.ts).

import { connectThrough, isEntered, onEntered } from "../ui/client.ts";
import { watchLive } from "../ui/live-events.ts";
import { gateConnection, knownGate, loadGate } from "./gate.ts";
import { answerServiceRequests } from "./browser-gate/service-messages.ts";
import { showButton, showState, showUnpaired } from "./waiting.ts";

/** The browser ends an idle worker after half a minute, and an alarm wakes it as often. So a stream that broke is opened again. */
const WAKE_MINUTES = 0.5;

let stop: (() => void) | null = null;
let followed: string | null = null;

// The browser wakes the worker for these, so it must add them before anything else.
// SECURITY(T83): none is for messages of others. A page or another extension has nobody to talk to.
answerServiceRequests();
chrome.runtime.onInstalled.addListener(() => void chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true }));
chrome.runtime.onStartup.addListener(() => undefined);
chrome.alarms.onAlarm.addListener(() => {
  follow();
  void showButton();
});
chrome.notifications.onClicked.addListener((id) => void openPanel(id));

connectThrough(gateConnection);
onEntered(() => follow());
void loadGate();

/** Follows the gate that is paired now. */
function follow(): void {
  const token = knownGate()?.token ?? null;
  if (token === followed && token !== null) return;
  stop?.();
  stop = null;
  followed = token;
  if (!isEntered()) {
    void chrome.alarms.clear("wake");
    void showUnpaired();
    return;
  }
  void chrome.alarms.create("wake", { periodInMinutes: WAKE_MINUTES });
  stop = watchLive((live) => void showState(live));
}

async function openPanel(notification: string): Promise<void> {
  await chrome.notifications.clear(notification);
  try {
    const { id } = await chrome.windows.getLastFocused();
    await chrome.sidePanel.open({ windowId: id ?? -1 });
  } catch {
    // Some browsers do not count the click on a notification as one that may open the panel.
    await chrome.tabs.create({ url: chrome.runtime.getURL("panel.html") });
  }
}
