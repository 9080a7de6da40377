// Programs that a script copies or links before it runs them: `ln -s /usr/bin/git g; ./g push` is a `git push`.

import { ancestorsOf, baseName } from "../../shared/path.ts";
import { pathsOf } from "../rules/critical-path.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { readOptions } from "../rules/read-options.ts";
import type { CommandLine, Directories } from "../words/command-line.ts";
import { resolvePathText } from "../words/command-word.ts";

const MOST_COPIES = 200;

export interface Copy {
  /** Absolute. */
  readonly path: string;
  /** The copied program; null: an unknown one. */
  readonly program: string | null;
  /** A link: if the program is a directory, what lies below it lies below the link, too. */
  readonly isLink: boolean;
}

export class CopiedPrograms {
  readonly #copies = new Map<string, Copy>();

  add(copy: Copy): void {
    if (this.#copies.size < MOST_COPIES) this.#copies.set(copy.path, copy);
  }

  /** The program of which a command's first word names a copy, also below a linked directory; undefined: of none. */
  find(word: string, cwds: Directories, isPathKept: boolean): string | null | undefined {
    if (this.#copies.size === 0) return undefined;
    if (!word.includes("/")) {
      // A script that changes PATH may mean a copy by its name alone.
      const copies = isPathKept ? [] : [...this.#copies.values()];
      return copies.find(({ path }) => baseName(path) === word)?.program;
    }
    for (const cwd of cwds) {
      const path = resolvePathText(word, cwd);
      if (path === null) continue;
      const copy = this.#copies.get(path);
      if (copy !== undefined) return copy.program;
      for (const above of ancestorsOf(path)) {
        const { program = null, isLink } = this.#copies.get(above) ?? {};
        if (isLink === true && program !== null) return program + path.slice(above.length);
      }
    }
    return undefined;
  }
}

/** Where each source of a copying command comes to lie. Only files that are there already: others are the agent's own. */
export function findCopies(command: CommandLine, options: OptionSpec): Copy[] {
  const { name, args, context } = command;
  const read = readOptions(args, options);
  const into = read.value("-t", "--target-directory");
  const target = into ?? read.operands.at(-1);
  const sources = into === null ? read.operands.slice(0, -1) : read.operands;
  if (target === undefined) return [];
  return sources.flatMap((source) => {
    const paths = pathsOf(source, command);
    const program = paths.map((path) => context.findProgram(path)).find((path) => path !== null) ?? null;
    if (program === null && source.text !== null) return [];
    return pathsOf(target, command).flatMap((path): Copy[] => {
      const inside = paths.map((from): Copy => ({ path: `${path}/${baseName(from)}`, program, isLink: false }));
      return into === null ? [{ path, program, isLink: name === "ln" && sources.length === 1 }, ...inside] : inside;
    });
  });
}
