// How a program takes its options. Both readers of options use this: Shell's, which judges them, and that of scripts.

/** Names stand in one string, with their dashes: `"-k --key"`. */
export interface OptionSpec {
  readonly switches?: string;
  /** Take a value: joined, or the next word. */
  readonly values?: string;
  /** Take a value only when it is joined: `--color=auto`. */
  readonly optional?: string;
  /** Take a value that is a path. */
  readonly paths?: string;
  /** Take paths with colons between them. */
  readonly pathLists?: string;
  /** Take the next two words: a name and a text, or a name and a path. */
  readonly nameAndText?: string;
  readonly nameAndPath?: string;
  /**
   * What Shell refuses: by name, what the option does: "writes a file". An option that takes a value is also listed
   * above, so that the reader of scripts knows which word is its value.
   */
  readonly refused?: Readonly<Record<string, string>>;
  /** "refused": Shell refuses an option that is not listed here. */
  readonly unknown?: "refused";
  /**
   * "exact": the program does not take shortened long names. "one dash": `-json` is one name and not a cluster, with one
   * dash or two; it is listed here with one. Only the reader of scripts knows programs of this kind.
   */
  readonly longNames?: "exact" | "one dash";
  /** "before operands": the first operand ends the options. */
  readonly stand?: "before operands";
  /** The value of one of these ends the options. Only for the reader of scripts. */
  readonly last?: string;
}

type ValueKind = "text" | "path" | "path list";

export interface OptionRule {
  readonly takes: "nothing" | "joined value" | readonly ValueKind[];
  /** Why Shell refuses it. */
  readonly refusal: string | null;
}

export interface OptionTable {
  readonly rules: ReadonlyMap<string, OptionRule>;
  readonly spec: OptionSpec;
}

const compiled = new WeakMap<OptionSpec, OptionTable>();

export function optionTable(spec: OptionSpec): OptionTable {
  const known = compiled.get(spec);
  if (known !== undefined) return known;
  const table = { rules: compileRules(spec), spec };
  compiled.set(spec, table);
  return table;
}

export function optionNames(text = ""): string[] {
  return text.split(/\s+/).filter((name) => name !== "");
}

function compileRules(spec: OptionSpec): Map<string, OptionRule> {
  const rules = new Map<string, OptionRule>();
  const isName = spec.longNames === "one dash" ? /^-[^-=][^=]*$/u : /^-([^-]|-[^=]+)$/u;
  const add = (names: string | undefined, takes: OptionRule["takes"]): void => {
    for (const name of optionNames(names)) {
      if (rules.has(name) || !isName.test(name)) throw new Error(`The option ${name} is listed twice, or is none.`);
      rules.set(name, { takes, refusal: null });
    }
  };
  add(spec.switches, "nothing");
  add(spec.optional, "joined value");
  add(spec.values, ["text"]);
  add(spec.paths, ["path"]);
  add(spec.pathLists, ["path list"]);
  add(spec.nameAndText, ["text", "text"]);
  add(spec.nameAndPath, ["text", "path"]);
  for (const [names, refusal] of Object.entries(spec.refused ?? {})) {
    for (const name of optionNames(names)) {
      const takes = rules.get(name)?.takes ?? "nothing";
      if (!rules.delete(name)) add(name, takes);
      rules.set(name, { takes, refusal });
    }
  }
  return rules;
}
