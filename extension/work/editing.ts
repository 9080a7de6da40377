// What keys do in the editor. Each change goes through the browser's own editing, so that it can be undone.

/** How a file indents: by tabs, or by so many spaces. */
export function indentOf(text: string): string {
  const widths = new Map<string, number>();
  for (const [, indent = ""] of text.slice(0, 50_000).matchAll(/^(\t| {2,8})\S/gm))
    widths.set(indent, (widths.get(indent) ?? 0) + 1);
  const spaces = [...widths.keys()]
    .filter((indent) => indent !== "\t")
    .toSorted((one, other) => one.length - other.length);
  const tabs = widths.get("\t") ?? 0;
  const [least] = spaces;
  const count = spaces.reduce((sum, indent) => sum + (widths.get(indent) ?? 0), 0);
  return least === undefined || tabs > count ? "\t" : least;
}

/** Tab: indents at the cursor, or each selected line. With Shift: takes one step of it away. */
export function indentLines(field: HTMLTextAreaElement, indent: string, isBack: boolean): void {
  const { selectionStart: start, selectionEnd: end, value } = field;
  if (start === end && !isBack) return insert(indent);
  const from = value.lastIndexOf("\n", start - 1) + 1;
  const lines = value.slice(from, end).split("\n");
  const changed = lines.map((line) =>
    isBack ? line.replace(new RegExp(`^(?:\t| {1,${indent.length}})`), "") : indent + line,
  );
  const text = changed.join("\n");
  if (text === value.slice(from, end)) return;
  field.setSelectionRange(from, end);
  insert(text);
  if (start === end) {
    const at = Math.max(from, start - ((lines[0] ?? "").length - (changed[0] ?? "").length));
    field.setSelectionRange(at, at);
  } else field.setSelectionRange(from, from + text.length);
}

/** Enter: the new line begins as the one before it. */
export function breakLine(field: HTMLTextAreaElement): void {
  const { selectionStart: start, value } = field;
  const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
  insert(`\n${/^[\t ]*/.exec(line)?.[0] ?? ""}`);
}

// It is marked as old, but nothing else changes a field so that the person can undo it.
function insert(text: string): void {
  document.execCommand(text === "" ? "delete" : "insertText", false, text);
}
