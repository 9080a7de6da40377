// Finds out whether a find deletes more than a chosen part of a tree. It follows the expression as find does, and asks at
// each deleting action which files can come to it: surely a part of the tree, or perhaps all of it.

import { baseName } from "../../../shared/path.ts";
import { criticalPath } from "../../rules/critical-path.ts";
import { destroy, type EffectRule } from "../../rules/effect-rule.ts";
import type { CommandLine } from "../../words/command-line.ts";
import { type CommandWord, knownWord, textsOf } from "../../words/command-word.ts";
import { findCommandLength, findValueKind, startsCommand } from "./find-words.ts";

export const findDeletes: EffectRule = destroy("files", isDestroyingFind);

function isDestroyingFind(command: CommandLine): boolean {
  const { args } = command;
  const start = args.findIndex(({ text }) => text !== null && /^[-(!]/.test(text) && !/^-(?:[HLP]|O\d?|D)$/.test(text));
  if (start < 0) return false;
  const named = args.slice(0, start).filter(({ text }) => text === null || !text.startsWith("-"));
  const from = named.length === 0 ? [knownWord(".")] : named;
  const walk = new FindWalk(
    args.slice(start),
    from.map(({ shape }) => shape ?? ""),
  );
  walk.read();
  return from.some((word) => {
    const critical = criticalPath(word, command);
    if (critical === "system") return walk.deleted !== null || walk.isChanging;
    return critical === "own" && walk.deleted === "all";
  });
}

/** A set of files is surely a chosen part of the tree, or may be all of it. */
type Reach = "part" | "all";
const union = (a: Reach, b: Reach): Reach => (a === "part" && b === "part" ? "part" : "all");

/** The files for which an expression is true, and those for which it is false. */
interface Ends {
  readonly yes: Reach;
  readonly no: Reach;
}

const removers = new Set("rm rmdir unlink shred srm truncate mv".split(" "));
const changers = new Set("chmod chown chgrp".split(" "));
const wrappers = new Set("env sudo doas nice ionice nohup time command busybox toybox".split(" "));

class FindWalk {
  /** The files that are deleted; null: none. */
  deleted: Reach | null = null;
  isChanging = false;
  readonly #words: readonly CommandWord[];
  readonly #from: readonly string[];
  #at = 0;

  constructor(words: readonly CommandWord[], from: readonly string[]) {
    this.#words = words;
    this.#from = from;
  }

  read(): void {
    while (this.#at < this.#words.length) {
      this.#readList("all");
      if (this.#peek() === ")") this.#at++; // It closes nothing, and find will refuse it.
    }
  }

  #readList(reach: Reach): Ends {
    let ends = this.#readEither(reach);
    while (this.#peek() === ",") {
      this.#at++;
      ends = this.#readEither(reach);
    }
    return ends;
  }

  #readEither(reach: Reach): Ends {
    let ends = this.#readBoth(reach);
    while (this.#is("-o", "-or")) {
      this.#at++;
      const next = this.#readBoth(ends.no);
      ends = { yes: union(ends.yes, next.yes), no: next.no };
    }
    return ends;
  }

  #readBoth(reach: Reach): Ends {
    let ends = this.#readOne(reach);
    while (this.#at < this.#words.length && !this.#is("-o", "-or", ",", ")")) {
      if (this.#is("-a", "-and")) this.#at++;
      const next = this.#readOne(ends.yes);
      ends = { yes: next.yes, no: union(ends.no, next.no) };
    }
    return ends;
  }

  #readOne(reach: Reach): Ends {
    let isTurned = false;
    for (; this.#is("!", "-not"); this.#at++) isTurned = !isTurned;
    const { yes, no } = this.#readPlain(reach);
    return isTurned ? { yes: no, no: yes } : { yes, no };
  }

  #readPlain(reach: Reach): Ends {
    if (this.#is("-o", "-or", ",", ")")) return { yes: reach, no: reach };
    const word = this.#words[this.#at++]?.text ?? "";
    if (word === "(") {
      const ends = this.#readList(reach);
      if (this.#peek() === ")") this.#at++;
      return ends;
    }
    if (word === "-delete") this.#delete(reach);
    if (startsCommand(word)) this.#readCommand(reach);
    // These are always true, or always false: no files are left for the other answer, so "part" is right.
    if (/^-(?:true|prune|print0?|ls|depth|d|xdev|mount)$/.test(word)) return { yes: reach, no: "part" };
    if (word === "-false" || word === "-quit") return { yes: "part", no: word === "-quit" ? "part" : reach };
    if (/^-(?:empty|nouser|nogroup|executable)$/.test(word)) return { yes: "part", no: reach };
    if (findValueKind(word) === null) return { yes: reach, no: reach };
    const value = this.#words[this.#at++]?.shape ?? null;
    if (word === "-fprintf") this.#at++;
    return this.#endsOf(word, value, reach);
  }

  #endsOf(test: string, value: string | null, reach: Reach): Ends {
    // Both "older than a day" and its opposite choose a part.
    if (/^-(?:[acm](?:min|time)|anewer|cnewer|newer)/.test(test)) return { yes: "part", no: "part" };
    const isChoice =
      /^-(?:inum|samefile)$/.test(test) ||
      (/^-i?(?:name|lname|path|wholename|regex)$/.test(test) && (value === null || this.#isChoosing(test, value))) ||
      (/^-x?type$/.test(test) && value !== null && /^[bclps](?:,[bclps])*$/.test(value)) ||
      (test === "-size" && value !== null && /^(?:\d+[cwbkMG]?|\+[1-9]\d*[kMG])$/.test(value));
    return { yes: isChoice ? "part" : reach, no: reach };
  }

  /** Without its wildcards, and the directory in which find starts, something of the pattern is left. */
  #isChoosing(test: string, pattern: string): boolean {
    const whole = !test.endsWith("name") || test.endsWith("wholename");
    const start = whole ? this.#from.find((from) => from !== "" && pattern.startsWith(from)) : undefined;
    const rest = pattern.slice(start?.length ?? 0).replaceAll(/\[[!^]?\]?[^\]]*\]/g, "");
    return test.endsWith("regex") ? /[^.*+?^$\\/(){}|]/.test(rest) : /[^*?./\\]/.test(rest);
  }

  #readCommand(reach: Reach): void {
    const start = this.#at;
    const length = findCommandLength(textsOf(this.#words), start) ?? this.#words.length - start;
    const words = this.#words.slice(start, start + length);
    this.#at = start + length + 1;
    const program = words.find(({ text }) => text === null || !(wrappers.has(baseName(text)) || /^-|=/.test(text)));
    const name = baseName(program?.text ?? "");
    if (removers.has(name)) this.#delete(reach);
    if (changers.has(name)) this.isChanging = true;
  }

  #delete(reach: Reach): void {
    this.deleted = this.deleted === null ? reach : union(this.deleted, reach);
  }

  #is(...words: string[]): boolean {
    const text = this.#peek();
    return text !== null && words.includes(text);
  }

  #peek(): string | null {
    return this.#words[this.#at]?.text ?? null;
  }
}
