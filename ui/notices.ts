// Notices on the desktop: the browser shows one when a question waits and nobody looks at the page.
// Invariant: the browser is asked for its permission only by a person's click. A notice has nothing that an agent wrote.

import type { Severity } from "../src/approval/approver.ts";
import type { NoticeRequest, NoticeView } from "../src/web/api-notices.ts";
import { post } from "./client.ts";
import { goTo, linkTo } from "./route.ts";

/** `blocked`: the browser shows none of this page. `none`: it knows no notices. */
export type NoticeMode = "on" | "off" | "blocked" | "none";

const KEY = "sallyport.notices";
/** A page that somebody looks at comes first, so that no other one shows a notice. */
const OTHERS_FIRST_MS = 500;

export function noticeMode(): NoticeMode {
  if (typeof Notification === "undefined") return "none";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && isWanted() ? "on" : "off";
}

/** Called for a person's click. */
export async function switchNotices(isOn: boolean): Promise<NoticeMode> {
  if (isOn && Notification.permission === "default") await Notification.requestPermission();
  try {
    if (isOn) localStorage.setItem(KEY, "on");
    else localStorage.removeItem(KEY);
  } catch {
    // without storage they stay off
  }
  return noticeMode();
}

function isWanted(): boolean {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

let shown: Notification | null = null;

/** Called when a question may have come. `signal` aborts if something newer is known. */
export async function showNotice(signal: AbortSignal): Promise<void> {
  const isLookedAt = document.visibilityState === "visible" && document.hasFocus();
  if (!isLookedAt) await pause(OTHERS_FIRST_MS, signal);
  if (signal.aborted || noticeMode() !== "on") return;
  const request: NoticeRequest = { isLookedAt };
  const { count, severity, question } = await post<NoticeView>("/api/notices", request);
  if (count > 0) show(count, severity, question);
}

function show(count: number, severity: Severity, question: string | null): void {
  // SECURITY(T69): the gate's own words alone.
  const title = count === 1 ? "A question waits" : `${count} questions wait`;
  // A newer one takes the place of an older one, in all tabs of this page.
  shown = new Notification(title, { body: `Sallyport: ${severity} risk`, tag: "sallyport" });
  shown.addEventListener("click", () => {
    focus();
    goTo(question === null ? linkTo.queue() : linkTo.question(question));
    hideNotice();
  });
}

/** Called when nothing waits any more. */
export function hideNotice(): void {
  shown?.close();
  shown = null;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
