// Sizes for a person.

const units = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** `812 bytes`, `3.2 KB`, `41 MB`. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
