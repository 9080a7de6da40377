// Makes shell completion from a description of the commands. There is no second list, so completion cannot offer a command
// that does not exist.
// Invariant: no text of the description can become shell code. A name with other than plain characters is a Fault.

export type FlagValue = "none" | "text" | "file" | "directory" | readonly string[];

export interface FlagDescription {
  /** Includes the dashes: `--json`. */
  readonly name: string;
  /** The kind of value that follows the flag; absent if it takes none. */
  readonly takes?: FlagValue;
}

export interface CommandDescription {
  readonly name: string;
  readonly summary?: string;
  readonly flags?: readonly FlagDescription[];
  readonly subcommands?: readonly CommandDescription[];
  /** Words that may follow the command, such as the names of tools. */
  readonly words?: readonly string[];
}

export type CompletionShell = "bash" | "zsh";

export function completionScript(shell: CompletionShell, commands: readonly CommandDescription[]): string {
  const positions = positionsOf({ name: "", subcommands: commands });
  return shell === "bash" ? bashScript(positions) : zshScript(positions);
}

/** One command by its path (`audit list`), and the words and flags that may follow it. */
interface CommandPosition {
  readonly path: string;
  readonly next: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly FlagDescription[];
}

function positionsOf(
  command: CommandDescription,
  above = "",
  inherited: readonly FlagDescription[] = [],
): CommandPosition[] {
  const path = command.name === "" ? "" : `${above}${above === "" ? "" : " "}${plain(command.name)}`;
  const flags = [...inherited, ...(command.flags ?? [])];
  for (const { name, takes } of flags) [name, ...(Array.isArray(takes) ? takes : [])].forEach(plain);
  const next = [
    ...(command.subcommands ?? []).map(({ name, summary = "" }) => ({ name: plain(name), summary: inert(summary) })),
    ...(command.words ?? []).map((word) => ({ name: plain(word), summary: "" })),
  ];
  return [{ path, next, flags }, ...(command.subcommands ?? []).flatMap((inner) => positionsOf(inner, path, flags))];
}

function plain(name: string): string {
  if (!/^[A-Za-z0-9_.@%+,/-]+$/.test(name))
    throw new TypeError(`${JSON.stringify(name)} cannot be completed: use letters, digits and -`);
  return name;
}

/** zsh gets the summary between single quotes, and a colon would split it. */
function inert(summary: string): string {
  return summary.replace(/[^\p{L}\p{N} .,;()/-]/gu, "");
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** `case` lines for the flags that take a value, grouped by the kind of value. */
function valueCases(positions: readonly CommandPosition[], answer: (takes: FlagValue) => string): string[] {
  const seen = new Map<string, string>();
  for (const { path, flags } of positions) {
    for (const { name, takes = "none" } of flags) if (takes !== "none") seen.set(`'${path} ${name}'`, answer(takes));
  }
  return [...seen].map(([pattern, action]) => `    ${pattern}) ${action} ;;`);
}

function pathCases(positions: readonly CommandPosition[]): string[] {
  return positions.filter(({ path }) => path !== "").map(({ path }) => `'${path}'`);
}

function flagsWithValue(positions: readonly CommandPosition[]): string[] {
  return distinct(
    positions.flatMap(({ path, flags }) =>
      flags.filter(({ takes = "none" }) => takes !== "none").map(({ name }) => `'${path} ${name}'`),
    ),
  );
}

function bashScript(positions: readonly CommandPosition[]): string {
  const values = valueCases(positions, (takes) => {
    if (takes === "file")
      return 'mapfile -t COMPREPLY < <(compgen -f -- "$current"); compopt -o filenames 2>/dev/null; return';
    if (takes === "directory")
      return 'mapfile -t COMPREPLY < <(compgen -d -- "$current"); compopt -o filenames 2>/dev/null; return';
    return typeof takes === "string"
      ? "return"
      : `COMPREPLY=($(compgen -W '${takes.join(" ")}' -- "$current")); return`;
  });
  return `# bash completion for sallyport. Try it with: source <(sallyport completion bash)
_sallyport() {
  local IFS=$' \\t\\n' current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' word next skip=0 i
  COMPREPLY=()
  # The shell splits --flag=value into three words.
  if [[ $current == '=' ]]; then current=''; elif [[ $before == '=' ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '--' ]]; then compopt -o default 2>/dev/null; return; fi
    if [[ $word == '=' ]]; then skip=1; continue; fi
    if ((skip)); then skip=0; continue; fi
    case "$path $word" in
${caseLine(flagsWithValue(positions), "skip=1; continue")}    esac
    next="\${path:+$path }$word"
    case "$next" in
${caseLine(pathCases(positions), "path=$next")}    esac
  done
  case "$path $before" in
${values.join("\n")}
  esac
  case "$path" in
${positions.map(({ path, next, flags }) => bashPosition(path, next, flags)).join("\n")}
  esac
}
complete -F _sallyport sallyport
`;
}

function caseLine(patterns: readonly string[], action: string): string {
  return patterns.length === 0 ? "" : `      ${patterns.join("|")}) ${action} ;;\n`;
}

function bashPosition(path: string, next: CommandPosition["next"], flags: CommandPosition["flags"]): string {
  const flagNames = distinct([...flags.map(({ name }) => name), "--help"]).join(" ");
  const words = next.map(({ name }) => name).join(" ");
  return `    '${path}') if [[ $current == -* ]]; then COMPREPLY=($(compgen -W '${flagNames}' -- "$current")); else COMPREPLY=($(compgen -W '${words}' -- "$current")); fi ;;`;
}

function zshScript(positions: readonly CommandPosition[]): string {
  const values = valueCases(positions, (takes) => {
    if (takes === "file") return "_files; return";
    if (takes === "directory") return "_files -/; return";
    return typeof takes === "string" ? "return" : `compadd -- ${takes.join(" ")}; return`;
  });
  return `#compdef sallyport
# zsh completion for sallyport. Try it with: source <(sallyport completion zsh)
_sallyport() {
  local path_='' word next before=\${words[CURRENT-1]} current=\${words[CURRENT]}
  local -i i skip=0
  local -a choices
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ $word == '--' ]]; then _files; return; fi
    if ((skip)); then skip=0; continue; fi
    case "$path_ $word" in
${caseLine(flagsWithValue(positions), "skip=1; continue")}    esac
    next="\${path_:+$path_ }$word"
    case "$next" in
${caseLine(pathCases(positions), "path_=$next")}    esac
  done
  case "$path_ $before" in
${values.join("\n")}
  esac
  case "$path_" in
${positions.map(({ path, next, flags }) => zshPosition(path, next, flags)).join("\n")}
  esac
}
if [[ $funcstack[1] == _sallyport ]]; then _sallyport "$@"; else compdef _sallyport sallyport; fi
`;
}

function zshPosition(path: string, next: CommandPosition["next"], flags: CommandPosition["flags"]): string {
  const flagNames = distinct([...flags.map(({ name }) => name), "--help"]).join(" ");
  const choices = next.map(({ name, summary }) => `'${name}${summary === "" ? "" : `:${summary}`}'`).join(" ");
  return `    '${path}') if [[ $current == -* ]]; then compadd -- ${flagNames}; else choices=(${choices}); _describe 'command' choices; fi ;;`;
}
