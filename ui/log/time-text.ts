// Formats times and durations for a person, in local time.

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export function clockText(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "?";
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
}

/** `2026-01-31` in local time: equal for two times of the same day. */
export function dayOf(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "?";
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
const withYear = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });

export function dayText(iso: string, now: number): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "At an unknown time";
  const date = (time.getFullYear() === new Date(now).getFullYear() ? weekday : withYear).format(time).replace(",", "");
  if (dayOf(iso) === dayOf(new Date(now).toISOString())) return `Today, ${date}`;
  if (dayOf(iso) === dayOf(new Date(now - DAY_MS).toISOString())) return `Yesterday, ${date}`;
  return date;
}

/** `today 14:02:11`, `yesterday 09:00:00`, `16 November 09:00:00`. */
export function momentText(iso: string, now: number): string {
  const words = dayText(iso, now);
  const day = words.startsWith("Today") ? "today" : words.startsWith("Yesterday") ? "yesterday" : words;
  return `${day} ${clockText(iso)}`;
}

export function agoText(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return "at an unknown time";
  if (ms < MINUTE_MS) return "just now";
  if (ms < HOUR_MS) return counted(Math.floor(ms / MINUTE_MS), "minute");
  if (ms < DAY_MS) return counted(Math.floor(ms / HOUR_MS), "hour");
  return counted(Math.floor(ms / DAY_MS), "day");
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

/** `14 ms`, `2.1 s`, `3 min 4 s`, `2 h 5 min`, `3 days`. */
export function spanText(ms: number): string {
  if (!Number.isFinite(ms)) return "?";
  const length = Math.max(0, ms);
  if (length < 999.5) return `${Math.round(length)} ms`;
  if (length < 9_950) return `${(length / 1000).toFixed(1)} s`;
  if (length < MINUTE_MS - 500) return `${Math.round(length / 1000)} s`;
  if (length < HOUR_MS) return twoUnits(Math.round(length / 1000), 60, "min", "s");
  if (length < 2 * DAY_MS) return twoUnits(Math.round(length / MINUTE_MS), 60, "h", "min");
  return `${Math.floor(length / DAY_MS)} days`;
}

function twoUnits(count: number, each: number, large: string, small: string): string {
  const rest = count % each;
  return `${Math.floor(count / each)} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}

const sizes = ["bytes", "KB", "MB", "GB"];

export function bytesText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < sizes.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${sizes[unit] as string}`;
}

export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
