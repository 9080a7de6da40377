// Hours of the day, by the clock of this machine, in which nobody is notified.

export interface QuietHours {
  /** Minutes since midnight. If `to` is not after `from`, the time passes midnight. */
  readonly from: number;
  readonly to: number;
}

/** `22:00-07:00`; null if the text is something else. */
export function parseQuietHours(text: string): QuietHours | null {
  const [, from, to] = /^(\d{1,2}:\d{2})\s*-\s*(\d{1,2}:\d{2})$/.exec(text.trim()) ?? [];
  const hours = { from: minuteOf(from ?? ""), to: minuteOf(to ?? "") };
  if (hours.from === null || hours.to === null || hours.from === hours.to % (24 * 60)) return null;
  return { from: hours.from, to: hours.to };
}

function minuteOf(text: string): number | null {
  const [hour = Number.NaN, minute = Number.NaN] = text.split(":").map(Number);
  const isTime = (hour < 24 && minute < 60) || (hour === 24 && minute === 0);
  return isTime ? hour * 60 + minute : null;
}

/** When somebody may be notified: `time` itself, or the end of the quiet hours that it lies in. In milliseconds since 1970. */
export function firstLoudTime(quiet: readonly QuietHours[], time: number): number {
  let loud = time;
  // Hours may follow each other. Those that cover the whole day have no end, so each is left once.
  for (let count = 0; count < quiet.length; count += 1) {
    const around = quiet.find((hours) => isWithinHours(hours, minutesOfDay(loud)));
    if (around === undefined) return loud;
    loud = nextTime(loud, around.to);
  }
  return loud;
}

function isWithinHours({ from, to }: QuietHours, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minutesOfDay(time: number): number {
  const date = new Date(time);
  return date.getHours() * 60 + date.getMinutes();
}

/** By the calendar and not by addition, because a day may have 23 or 25 hours. */
function nextTime(after: number, minute: number): number {
  const date = new Date(after);
  const at = (day: number) => new Date(date.getFullYear(), date.getMonth(), day, 0, minute).getTime();
  const today = at(date.getDate());
  return today > after ? today : at(date.getDate() + 1);
}
