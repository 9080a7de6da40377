// An error in the configuration: where it is, what it is, and what would pass. The gate never repairs one silently.

import { displayText } from "../shared/display.ts";

export interface ConfigError {
  /** null if the error is in a flag or the environment, which the message names. */
  readonly file: string | null;
  /** Both count from 1; null for the file as a whole. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly hint: string;
  /** The text of the line, for the caret. */
  readonly source: string | null;
}

export type ConfigErrors = readonly [ConfigError, ...ConfigError[]];

export function fileError(file: string | null, message: string, hint: string): ConfigError {
  return { file, line: null, column: null, message, hint, source: null };
}

/** `config.yaml:4:7: agents.default.fs_grant: unknown key. Did you mean fs_grants?`, and the line with a caret. */
function describeConfigError(error: ConfigError): string {
  const location = [error.file === null ? null : displayText(error.file), error.line, error.column].filter(
    (part) => part !== null,
  );
  const where = location.length === 0 ? "" : `${location.join(":")}: `;
  const text = `${where}${displayText(error.message)}. ${displayText(error.hint)}`;
  if (error.source === null || error.line === null || error.column === null) return text;
  const number = String(error.line).padStart(5);
  // The caret counts displayed characters, because escapes are longer than what they replace.
  const before = displayText(error.source.slice(0, error.column - 1), { maxLength: 200 });
  const shown = displayText(error.source, { maxLength: 200 });
  return `${text}\n${number} | ${shown}\n      | ${" ".repeat(Math.min(before.length, shown.length))}^`;
}

export function describeConfigErrors(errors: readonly ConfigError[], maxCount = 10): string {
  const shown = errors.slice(0, maxCount).map(describeConfigError);
  if (errors.length > shown.length) shown.push(`… and ${errors.length - shown.length} more.`);
  return shown.join("\n");
}
