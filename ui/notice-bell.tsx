// The button that switches notices on the desktop on and off, and the mark on the icon of the tab.

import { useEffect, useState } from "preact/hooks";
import icon from "./icon.svg";
import waitingIcon from "./icon-waiting.svg";
import { useOwn } from "./devices/own-allowance.tsx";
import { useLive } from "./live.ts";
import { hideNotice, type NoticeMode, noticeMode, showNotice, switchNotices } from "./notices.ts";
import "./notice-bell.css";

const texts: Readonly<Record<Exclude<NoticeMode, "none">, string>> = {
  on: "You are notified when a question waits and you look elsewhere. Click to end that.",
  off: "Notify me on this desktop when a question waits and I look elsewhere",
  blocked: "Your browser blocks notifications of this page. Its settings for this address allow them.",
};

export function NoticeBell() {
  const { state } = useLive();
  const [mode, setMode] = useState(noticeMode);
  const isLimited = useOwn()?.limit !== undefined;
  const waiting = state?.waiting ?? 0;
  useEffect(() => markTab(waiting), [waiting]);
  useEffect(() => {
    if (waiting === 0) hideNotice();
    if (waiting === 0 || mode !== "on" || isLimited) return undefined;
    const newer = new AbortController();
    void showNotice(newer.signal).catch(() => undefined); // without the server, "Live" says so
    return () => newer.abort();
  }, [state?.version, waiting, mode, isLimited]);
  // A device that may not answer everything claims no notice: it would take it from those that may.
  if (mode === "none" || isLimited) return null;
  return (
    <button
      type="button"
      class="bell"
      aria-pressed={mode === "on"}
      aria-label={mode === "blocked" ? texts.blocked : "Notify me"}
      title={texts[mode]}
      disabled={mode === "blocked"}
      onClick={() => void switchNotices(mode !== "on").then(setMode)}
    >
      <Bell isOn={mode === "on"} />
    </button>
  );
}

/** The number is in the title of the tab, too. */
function markTab(waiting: number): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link !== null) link.href = waiting > 0 ? waitingIcon : icon;
  // For a page that was installed as an app.
  const marked = waiting > 0 ? navigator.setAppBadge?.(waiting) : navigator.clearAppBadge?.();
  marked?.catch(() => undefined);
}

function Bell({ isOn }: { readonly isOn: boolean }) {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path
        d="M4 14.5c1.4-1.3 1.7-2.8 1.7-5.2a4.3 4.3 0 0 1 8.6 0c0 2.4.3 3.9 1.7 5.2z"
        fill={isOn ? "currentColor" : "none"}
      />
      <path d="M8.3 17a2 2 0 0 0 3.4 0" />
      {!isOn && <path d="M3 3l14 14" />}
    </svg>
  );
}
