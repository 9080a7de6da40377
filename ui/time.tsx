// Shows times to a person: how long ago, how much longer, and the exact time on hover.

import { useEffect, useState } from "preact/hooks";

/** The current time, updated every `everyMs`. */
function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** `12 s`, `4 min`, `3 h`, `2 days`. */
function spanText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

export function Age({ time }: { readonly time: string }) {
  const now = useNow();
  const ms = now - Date.parse(time);
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {ms < 10_000 ? "just now" : `${spanText(ms)} ago`}
    </time>
  );
}

/** How much longer something is waited for. */
export function Waits({ until }: { readonly until: string }) {
  const now = useNow();
  const left = Date.parse(until) - now;
  return (
    <time dateTime={until} title={new Date(until).toLocaleString()}>
      {left <= 0 ? "no longer waited for" : `waits ${spanText(left)} more`}
    </time>
  );
}

export interface OpenForProps {
  /** When the question is gone. */
  readonly until: string;
  /** Whether a call waits for the answer right now. */
  readonly isAwaited: boolean;
}

/** Whether a call waits, and how long the question stays: a call may give up long before. */
export function OpenFor({ until, isAwaited }: OpenForProps) {
  const left = Date.parse(until) - useNow();
  return (
    <>
      {isAwaited ? <strong class="awaited">a call waits</strong> : "no call waits"}
      {" · "}
      <time dateTime={until} title={new Date(until).toLocaleString()}>
        {left <= 0 ? "the question is over" : `open for ${spanText(left)}`}
      </time>
    </>
  );
}

/** The time alone for today; with the date for another day. */
export function momentText(ms: number): string {
  const moment = new Date(ms);
  const isToday = moment.toDateString() === new Date().toDateString();
  const time = { hour: "2-digit", minute: "2-digit" } as const;
  return isToday
    ? moment.toLocaleTimeString([], time)
    : moment.toLocaleString([], { ...time, month: "short", day: "numeric" });
}
