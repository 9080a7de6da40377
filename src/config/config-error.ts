// What is wrong with the configuration: where, what, and what would pass. It is told, never repaired silently.

import { displayText } from "../shared/display.ts";

export interface ConfigError {
  /** null: not from a file, but from a flag or the environment, which the message names. */
  readonly file: string | null;
  /** Both count from 1; null where the file as a whole is meant. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly hint: string;
  /** The line itself, to put a caret under. */
  readonly source: string | null;
}

export type ConfigErrors = readonly [ConfigError, ...ConfigError[]];

export function fileError(file: string | null, message: string, hint: string): ConfigError {
  return { file, line: null, column: null, message, hint, source: null };
}

/** `config.yaml:4:7: agents.default.fs_grant: unknown key. Did you mean fs_grants?`, and the line with a caret. */
function describeConfigError(error: ConfigError): string {
  const place = [error.file === null ? null : displayText(error.file), error.line, error.column].filter(
    (part) => part !== null,
  );
  const where = place.length === 0 ? "" : `${place.join(":")}: `;
  const text = `${where}${displayText(error.message)}. ${displayText(error.hint)}`;
  if (error.source === null || error.line === null || error.column === null) return text;
  const number = String(error.line).padStart(5);
  // The caret stands under what is shown: escapes are longer than what they stand for.
  const before = displayText(error.source.slice(0, error.column - 1), { maxLength: 200 });
  const shown = displayText(error.source, { maxLength: 200 });
  return `${text}\n${number} | ${shown}\n      | ${" ".repeat(Math.min(before.length, shown.length))}^`;
}

export function describeConfigErrors(errors: readonly ConfigError[], maxCount = 10): string {
  const shown = errors.slice(0, maxCount).map(describeConfigError);
  if (errors.length > shown.length) shown.push(`… and ${errors.length - shown.length} more.`);
  return shown.join("\n");
}
