// Finds names that are one file on some disk. Some file systems ignore case, Unicode normal forms or invisible characters. Some
// drop dots and blanks at the end of a name. On some, the text after a colon names a stream of the same file.
// Two streams of one file are different names (`10:30.log`, `10:45.log`); a stream and the file itself count as one.

const ignored = /\p{Default_Ignorable_Code_Point}/gv;
const plain = /^[\x20-\x7e]*$/;
const special = /:|[. ](?:\/|$)/;

/** Holds names, or paths if the caller adds their parents as well. */
export class DiskNames {
  readonly #names = new Map<string, string[]>();
  readonly #streams = new Map<string, string[]>();

  add(name: string): void {
    const { own, file } = keysOf(name);
    push(this.#names, own, name);
    if (own !== file) push(this.#streams, file, name);
  }

  /** The added names that are one file with this name, including the name itself if it was added. */
  same(name: string): string[] {
    const { own, file } = keysOf(name);
    const all = [...(this.#names.get(own) ?? []), ...(this.#streams.get(own) ?? [])];
    return own === file ? all : [...all, ...(this.#names.get(file) ?? [])];
  }
}

interface Keys {
  readonly own: string;
  /** Equal to `own`, unless the name is a stream of another file. */
  readonly file: string;
}

function keysOf(name: string): Keys {
  const folded = fold(name);
  if (!special.test(folded)) return { own: folded, file: folded };
  const parts = folded.split("/").map(partKeys);
  const above = parts.slice(0, -1).map(({ own }) => `${own}/`);
  const { own, file } = parts.at(-1) as Keys;
  return { own: above.join("") + own, file: above.join("") + file };
}

/** `a::$DATA` and `d:$I30:$INDEX_ALLOCATION` are long names of `a` and `d` themselves. */
function partKeys(part: string): Keys {
  const [base = "", stream = ""] = part.split(":");
  const file = base.replace(/(?<![. ])[. ]+$/, "");
  if (/^[. ]*$/.test(file)) return { own: part, file: part };
  return { own: stream === "" || stream === "$i30" ? file : `${file}:${stream}`, file };
}

function fold(name: string): string {
  if (plain.test(name)) return name.toLowerCase();
  const visible = name.normalize("NFD").replace(ignored, "");
  return visible.toUpperCase().toLowerCase().normalize("NFC");
}

function push(map: Map<string, string[]>, key: string, name: string): void {
  const names = map.get(key);
  if (names === undefined) map.set(key, [name]);
  else names.push(name);
}
