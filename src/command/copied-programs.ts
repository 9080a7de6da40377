// Programs that a script copies or links before it runs them: `ln -s /usr/bin/git g; ./g push` is a `git push`.

import { ancestorsOf, baseName } from "../shared/path.ts";
import { resolvePathText } from "./command-word.ts";
import { readLoose } from "./loose-options.ts";
import type { RiskyCommand } from "./risk-row.ts";
import { pathsOf } from "./vital-path.ts";

const copying: Readonly<Record<string, string>> = {
  cp: "-t --target-directory -S --suffix",
  gcp: "-t --target-directory -S --suffix",
  ln: "-t --target-directory -S --suffix",
  mv: "-t --target-directory -S --suffix",
  link: "",
  install: "-t --target-directory -S --suffix -m --mode -o --owner -g --group",
  ginstall: "-t --target-directory -S --suffix -m --mode -o --owner -g --group",
};
const MOST_COPIES = 200;

export interface Copy {
  /** An absolute path. */
  readonly place: string;
  /** null: nobody knows of what. */
  readonly program: string | null;
  /** What lies below it is what lies below the program, if that is a directory. */
  readonly isLink: boolean;
}

export class CopiedPrograms {
  readonly #originals = new Map<string, Copy>();

  add(copy: Copy): void {
    if (this.#originals.size < MOST_COPIES) this.#originals.set(copy.place, copy);
  }

  /** The program of which a command's first word names a copy; undefined: of none. A directory may have been linked. */
  find(word: string, cwds: readonly (string | null)[], isPathKept: boolean): string | null | undefined {
    if (this.#originals.size === 0) return undefined;
    if (!word.includes("/")) {
      // Whoever changes PATH may mean a copy by its name alone.
      const copies = isPathKept ? [] : [...this.#originals.values()];
      return copies.find(({ place }) => baseName(place) === word)?.program;
    }
    for (const cwd of cwds) {
      const path = resolvePathText(word, cwd);
      const copy = path === null ? undefined : this.#originals.get(path);
      if (copy !== undefined) return copy.program;
      for (const above of path === null ? [] : ancestorsOf(path)) {
        const { program = null, isLink } = this.#originals.get(above) ?? {};
        if (isLink === true && program !== null) return program + (path as string).slice(above.length);
      }
    }
    return undefined;
  }
}

/** Where each source of a copying command comes to lie. Only files that are there already: others are the agent's own. */
export function findCopies({ name, args, places }: RiskyCommand): Copy[] {
  if (!Object.hasOwn(copying, name)) return [];
  const read = readLoose(args, { values: copying[name] ?? "" });
  const into = read.value("-t", "--target-directory");
  const target = into ?? read.operands.at(-1);
  const sources = into === null ? read.operands.slice(0, -1) : read.operands;
  if (target === undefined) return [];
  return sources.flatMap((source) => {
    const paths = pathsOf(source, places);
    const program = paths.map((path) => places.context.findProgram(path)).find((path) => path !== null) ?? null;
    if (program === null && source.text !== null) return [];
    return pathsOf(target, places).flatMap((place): Copy[] => {
      const inside = paths.map((path): Copy => ({ place: `${place}/${baseName(path)}`, program, isLink: false }));
      return into === null ? [{ place, program, isLink: name === "ln" && sources.length === 1 }, ...inside] : inside;
    });
  });
}
