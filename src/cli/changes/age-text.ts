// How long ago something was, in one unit.

const units: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

export function ageText(ms: number): string {
  const [name, length] = units.find(([, one]) => ms >= one) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(ms / length))} ${name}`;
}
