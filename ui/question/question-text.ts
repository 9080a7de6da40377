// Parses the text that src/approval/question.ts composes: a title and a script, why the gate asks, and the rest, each with a
// label and a value.
// Invariant: nothing of the text is left out. A text of another form is returned whole.

export interface QuestionParts {
  /** The whole script that an interpreter would run; null if there is none. */
  readonly script: string | null;
  readonly reasons: readonly string[];
  readonly details: readonly Detail[];
  /** The unchanged text if it could not be parsed. */
  readonly whole: string | null;
}

export interface Detail {
  readonly label: string;
  readonly value: string;
}

export function partsOf(text: string): QuestionParts {
  const whole: QuestionParts = { script: null, reasons: [], details: [], whole: text };
  const blocks = text.split("\n\n").map((block) => block.split("\n"));
  const [asked, why, full] = blocks;
  if (asked === undefined || why === undefined || full === undefined || blocks.length !== 3) return whole;
  const [script, reasons, details] = [asked, why, full].map((block) => block.slice(1)) as [
    string[],
    string[],
    string[],
  ];
  const isOurs =
    /^Asked because \(\w+ risk\):$/.test(why[0] ?? "") &&
    full[0] === "In full:" &&
    script.every((line) => line.startsWith("  | ")) &&
    reasons.every((line) => line.startsWith("  ")) &&
    details.every((line) => /^ {2}\S.{9} /.test(line));
  if (!isOurs) return whole;
  return {
    script: script.length === 0 ? null : script.map((line) => line.slice(4)).join("\n"),
    reasons: reasons.map((line) => line.trim()),
    details: details.map((line) => ({ label: line.slice(2, 12).trim(), value: line.slice(13) })),
    whole: null,
  };
}
