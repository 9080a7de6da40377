// Formats a time of the record for a person: in local time, without the parts that are obvious.

export function localTime(iso: string, now: Date): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "?";
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const year = time.getFullYear() === now.getFullYear() ? "" : `${time.getFullYear()}-`;
  return `${year}${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
