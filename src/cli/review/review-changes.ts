// Lets a reviewer go through the files of a push or of a staged commit with single keys: an overview, and a pager for each
// file's diff. It draws and reads keys; its owner acts on the answer.
// Invariant: a yes counts only once everything above the files was on the screen. If the reviewer has not seen all files, the
// dialog says so, and only a second key that came alone counts.

import { groupDigits } from "../../action/diff-facts.ts";
import { displayName } from "../../shared/odd-name.ts";
import { cutColumns } from "../terminal/columns.ts";
import { type DiffPosition, diffPage, firstPosition, movePosition, scrollByKey } from "../terminal/diff-view.ts";
import type { ViewStyle } from "../terminal/view-style.ts";
import { type Choice, choiceOfKey, safeForStyle } from "../terminal/question-view.ts";
import { drawEntryLine, type EntryLine, entryLines, type FileEntry, FilesSeen, totalText } from "./review-files.ts";
import { wrapText } from "../terminal/table.ts";

export interface ChangeContext {
  /** Empty if there is nothing to answer. */
  readonly choices: readonly Choice[];
  /** Other keys that the owner acts on, for the line at the bottom. */
  readonly otherKeys?: string;
  readonly entries: readonly FileEntry[];
  head(total: string, viewStyle: ViewStyle): string[];
  tail(viewStyle: ViewStyle): string[];
  help(viewStyle: ViewStyle): string[];
}

/** What the owner has to do: nothing, go back, ask for a text to search, take an answer, or discard the keys typed so far. */
export type Pressed = "stay" | "back" | "search" | "reminded" | { readonly choice: Choice };

interface Overview {
  readonly size: string;
  readonly head: readonly string[];
  readonly files: readonly EntryLine[];
  readonly tail: readonly string[];
}

interface OpenFile {
  readonly at: number;
  readonly position: DiffPosition;
  /** The width for which `position` was computed. */
  readonly width: number;
}

const noOverview: Overview = { size: "", head: [], files: [], tail: [] };
const BOTTOM_LINES = 2;

export class ChangeDialog {
  readonly #context: ChangeContext;
  readonly #files: FilesSeen;
  #overview = noOverview;
  #top = 0;
  #headSeen = 0;
  #selected = 0;
  /** The open file; null in the overview. */
  #file: OpenFile | null = null;
  #isHelp = false;
  #status = "";
  #isReminded = false;
  #over: string | null = null;
  #sought = { text: "", row: -1 };

  constructor(context: ChangeContext) {
    this.#context = context;
    this.#files = new FilesSeen(context.entries);
  }

  /** Says why the question can no longer be answered. */
  end(why: string): void {
    this.#over ??= why;
  }

  /** Returns as many lines as the screen has. */
  draw(viewStyle: ViewStyle): string[] {
    if (this.#isHelp) return this.#bottomed(this.#context.help(viewStyle), "any key: back", viewStyle);
    return this.#file === null ? this.#drawOverview(viewStyle) : this.#drawFile(viewStyle);
  }

  #drawOverview(viewStyle: ViewStyle): string[] {
    const { head, files, tail } = this.#layout(viewStyle);
    const rows = this.#fileRows(viewStyle);
    const total = head.length + files.length + tail.length;
    this.#top = Math.max(0, Math.min(this.#top, total - rows));
    const end = Math.min(total, this.#top + rows);
    if (this.#top <= this.#headSeen) this.#headSeen = Math.max(this.#headSeen, Math.min(end, head.length));
    const lines = Array.from({ length: end - this.#top }, (_, index) => {
      const at = this.#top + index;
      const file = files[at - head.length];
      if (at < head.length) return head[at] as string;
      if (file === undefined) return tail[at - head.length - files.length] as string;
      return drawEntryLine(file, file.entry === this.#selected, this.#files, viewStyle);
    });
    const answers = this.#canAnswer() ? " [a]pprove [r]eject" : (this.#context.otherKeys ?? "");
    const where = `${this.#top + 1}-${end} of ${groupDigits(total)}`;
    return this.#bottomed(lines, `[d]iff${answers} [?]help [q] back  ${where}`, viewStyle);
  }

  #layout(viewStyle: ViewStyle): Overview {
    const size = `${viewStyle.width}x${viewStyle.height}`;
    if (this.#overview.size === size) return this.#overview;
    // At another width the lines differ, so the reviewer has to see them again.
    if (this.#overview.size !== "") [this.#top, this.#headSeen, this.#isReminded] = [0, 0, false];
    const { entries } = this.#context;
    this.#overview = {
      size,
      head: this.#context.head(totalText(entries), viewStyle),
      files: entryLines(entries, viewStyle),
      tail: this.#context.tail(viewStyle),
    };
    return this.#overview;
  }

  #drawFile(viewStyle: ViewStyle): string[] {
    const file = this.#file as OpenFile;
    const rows = this.#files.rows(file.at);
    const height = this.#fileRows(viewStyle) - 1;
    const position = file.width === viewStyle.width ? file.position : { row: file.position.row, piece: 0 };
    const page = diffPage(rows, position, height, viewStyle);
    this.#file = { at: file.at, position, width: viewStyle.width };
    this.#files.note(file.at, position, page.end, viewStyle.width);
    const { path, part } = this.#context.entries[file.at] as FileEntry;
    const of = part === undefined ? "" : `, part ${groupDigits(part.at + 1)} of ${groupDigits(part.of)}`;
    const title = `file ${file.at + 1} of ${this.#context.entries.length}`;
    const name = safeForStyle(`${title}: ${displayName(path)}${of}`, viewStyle);
    const isEnd = page.end.row >= rows.count;
    const where = isEnd ? "end" : `row ${groupDigits(page.end.row)} of ${groupDigits(rows.count)}: [space] more`;
    const answers = this.#canAnswer() ? " [a]pprove [r]eject" : "";
    const top = viewStyle.paint(cutColumns(name, viewStyle.width, viewStyle.isUnicode), "bold");
    return this.#bottomed([top, ...page.lines], `[n/p] file [q] back${answers} [?]help  ${where}`, viewStyle);
  }

  /** Puts the status above the keys. It may take several lines and is never cut. */
  #bottomed(lines: readonly string[], keys: string, viewStyle: ViewStyle): string[] {
    const status = this.#statusLines(viewStyle);
    const rows = viewStyle.height - status.length - 1;
    const shown = lines.slice(0, rows);
    return [
      ...shown,
      ...Array.from({ length: rows - shown.length }, () => ""),
      ...status.map((line) => viewStyle.paint(line, "yellow", "bold")),
      viewStyle.paint(cutColumns(keys, viewStyle.width, viewStyle.isUnicode), "dim"),
    ];
  }

  #statusLines(viewStyle: ViewStyle): string[] {
    const lines = wrapText(safeForStyle(this.#over ?? this.#status, viewStyle), viewStyle.width);
    return lines.length === 0 ? [""] : lines.slice(0, Math.max(1, viewStyle.height - 4));
  }

  #fileRows(viewStyle: ViewStyle): number {
    return Math.max(1, viewStyle.height - Math.max(BOTTOM_LINES, this.#statusLines(viewStyle).length + 1));
  }

  press(key: string, viewStyle: ViewStyle): Pressed {
    if (this.#isHelp) {
      this.#isHelp = false;
      return "stay";
    }
    if (key === "?") {
      this.#isHelp = true;
      return "stay";
    }
    const choice = this.choiceOf(key);
    if (choice !== undefined) return this.#choose(choice, viewStyle);
    this.#status = "";
    this.#isReminded = false;
    return this.#file === null ? this.#pressInOverview(key, viewStyle) : this.#pressInFile(key, viewStyle);
  }

  /** The answer that the key chooses now. */
  choiceOf(key: string): Choice | undefined {
    return this.#canAnswer() ? choiceOfKey(key, this.#context.choices) : undefined;
  }

  get isHelping(): boolean {
    return this.#isHelp;
  }

  /** Shows the status above the keys until the next key. */
  showStatus(status: string): void {
    this.#status = status;
  }

  #canAnswer(): boolean {
    return this.#context.choices.length > 0 && this.#over === null;
  }

  #choose(choice: Choice, viewStyle: ViewStyle): Pressed {
    if (choice.offer.decision === "deny") return { choice };
    const { head } = this.#layout(viewStyle);
    if (this.#headSeen < head.length) {
      this.#file = null;
      this.#status = "Not yet: not all that stands above the files was on the screen. Space shows it.";
      return "stay";
    }
    const problem = this.#files.problem();
    if (problem === null || this.#isReminded) return { choice };
    this.#isReminded = true;
    this.#status = `${problem}: a again to approve`;
    return "reminded";
  }

  #pressInOverview(key: string, viewStyle: ViewStyle): Pressed {
    if (key === "q" || key === "escape" || key === "backspace") return "back";
    if (key === "d" || key === "enter") {
      this.#openFile(this.#selected, viewStyle);
      return "stay";
    }
    const page = Math.max(1, this.#fileRows(viewStyle) - 1);
    const scroll = { " ": page, "page-down": page, b: -page, "page-up": -page, g: -Infinity, home: -Infinity, G: 1e9 };
    const by = scroll[key as keyof typeof scroll];
    if (by !== undefined) this.#top = Math.max(0, this.#top + by);
    const step = { j: 1, down: 1, n: 1, k: -1, up: -1, p: -1 }[key];
    if (step !== undefined) this.#select(step, viewStyle);
    return "stay";
  }

  /** Selects the next file. If the selected file is off the screen, scrolls one line towards it. */
  #select(step: number, viewStyle: ViewStyle): void {
    const { head, files } = this.#layout(viewStyle);
    const rows = this.#fileRows(viewStyle);
    const lineOf = (entry: number) => head.length + files.findIndex((line) => line.entry === entry);
    const at = lineOf(this.#selected);
    const isShown = at >= this.#top && at < this.#top + rows;
    const next = Math.max(0, Math.min(this.#selected + step, this.#context.entries.length - 1));
    if (!isShown || next === this.#selected) {
      this.#top = Math.max(0, this.#top + (isShown ? step : Math.sign(at - this.#top)));
      return;
    }
    this.#selected = next;
    const line = lineOf(next);
    if (line < this.#top) this.#top = line;
    if (line >= this.#top + rows) this.#top = line - rows + 1;
  }

  #openFile(at: number, viewStyle: ViewStyle): void {
    if (this.#context.entries[at] === undefined) {
      this.#status = "There is no file in it.";
      return;
    }
    this.#selected = at;
    this.#file = { at, position: firstPosition, width: viewStyle.width };
    this.#sought = { ...this.#sought, row: -1 };
  }

  #pressInFile(key: string, viewStyle: ViewStyle): Pressed {
    const file = this.#file as OpenFile;
    if (key === "q" || key === "escape" || key === "backspace" || key === "d") {
      this.#file = null;
      this.#showSelected(viewStyle);
      return "stay";
    }
    if (key === "/") return "search";
    const rows = this.#files.rows(file.at);
    const height = this.#fileRows(viewStyle) - 1;
    if (key === "n" || key === "p") {
      const next = file.at + (key === "n" ? 1 : -1);
      if (this.#context.entries[next] === undefined)
        this.#status = `That is the ${key === "n" ? "last" : "first"} file.`;
      else this.#openFile(next, viewStyle);
    } else if (key === " " && diffPage(rows, file.position, height, viewStyle).end.row >= rows.count) {
      const next = this.#files.next(file.at);
      if (next === null) this.#status = "All files were looked at.";
      else this.#openFile(next, viewStyle);
    } else this.#file = { ...file, position: scrollByKey(rows, file.position, key, height, viewStyle) };
    return "stay";
  }

  #showSelected(viewStyle: ViewStyle): void {
    const { head, files } = this.#layout(viewStyle);
    const line = head.length + files.findIndex(({ entry }) => entry === this.#selected);
    const rows = this.#fileRows(viewStyle);
    if (line < this.#top || line >= this.#top + rows) this.#top = Math.max(0, line - Math.floor(rows / 2));
  }

  /** An empty text repeats the previous search from the current position on. */
  search(text: string, viewStyle: ViewStyle): void {
    const file = this.#file;
    if (file === null) return;
    const sought = text === "" ? this.#sought : { text, row: file.position.row };
    const rows = this.#files.rows(file.at);
    const found = sought.text === "" ? null : rows.find(sought.text, sought.row + 1);
    this.#sought = { text: sought.text, row: found ?? -1 };
    if (found === null) {
      this.#status = "Not found further on in this file.";
      return;
    }
    const height = this.#fileRows(viewStyle) - 1;
    const position = movePosition(rows, { row: found, piece: 0 }, 0, height, viewStyle);
    this.#file = { ...file, position };
    this.#status = `Found in row ${groupDigits(found + 1)}.`;
  }
}
