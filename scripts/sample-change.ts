// A change for the pictures of a diff: a few files before and after.

const start = `import { readFile } from "node:fs/promises";

/** Quarterly numbers, as they are in the file. */
export interface Quarter {
  name: string;
  revenue: number;
  costs: number;
}

export async function loadQuarters(path: string): Promise<Quarter[]> {
  const text = await readFile(path, "utf8");
  return JSON.parse(text);
}

export function growth(before: Quarter, after: Quarter): number {
  return (after.revenue - before.revenue) / before.revenue;
}
`;

const middle = `
export function profit({ revenue, costs }: Quarter): number {
  return revenue - costs;
}

export function best(quarters: Quarter[]): Quarter | undefined {
  return quarters.toSorted((one, other) => profit(other) - profit(one))[0];
}

export function yearOf({ name }: Quarter): number {
  return Number(name.slice(0, 4));
}

export function ofYear(quarters: Quarter[], year: number): Quarter[] {
  return quarters.filter((quarter) => yearOf(quarter) === year);
}

function quarterLine({ name, revenue }: Quarter): string {
  return \`\${name}: \${revenue}\`;
}
`;

const end = `
export function summary(quarters: Quarter[]): string {
  const lines = [];
  for (const quarter of quarters) {
    lines.push(quarter.name + ": " + quarter.revenue);
  }
  return lines.join("\\n");
}
`;

const newStart = start
  .replace('promises";\n', 'promises";\nimport { quarterSchema } from "./schema.ts";\n')
  .replace("  costs: number;\n", '  costs: number;\n  currency: "EUR" | "USD";\n')
  .replace(
    "  return JSON.parse(text);\n",
    "  const quarters = quarterSchema.array().parse(JSON.parse(text));\n  return quarters.filter((quarter) => quarter.revenue > 0);\n",
  )
  .replace("/ before.revenue", "/ Math.abs(before.revenue)");

const newEnd = `
export function summary(quarters: Quarter[]): string {
  return quarters.map(quarterLine).join("\\n");
}
`;

export const sampleMessage = "Read quarters with a schema\n\nA file with a wrong number was taken as it was.\n";

export const sampleChange: readonly (readonly [path: string, before: string | null, after: string | null])[] = [
  ["report.md", "# Q3 report\n\nRevenue increased by 12%.\n", "# Q4 report\n\nRevenue increased by 15%.\n"],
  ["src/quarters.ts", `${start}${middle}${end}`, `${newStart}${middle}${newEnd}`],
  ["src/schema.ts", null, 'import { z } from "zod";\n\nexport const quarterSchema = z.object({ name: z.string() });\n'],
];
