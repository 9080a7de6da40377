// Indexes the lines of a text by their first word, to find where a here-document ends.
// Invariant: the text is read once, whatever the number of here-documents.

export class Lines {
  readonly #starts: number[] = [];
  readonly #byWord = new Map<string, number[]>();

  constructor(text: string) {
    for (const { index, 1: word } of text.matchAll(/^\t*(\w{0,128})/gm)) {
      this.#starts.push(index);
      if (word === undefined || word === "") continue;
      const known = this.#byWord.get(word);
      if (known === undefined) this.#byWord.set(word, [index]);
      else known.push(index);
    }
  }

  /** Where the line after this place begins. */
  nextStart(after: number): number | undefined {
    return firstFrom(this.#starts, after + 1);
  }

  /** Where the first line begins, from this place on, whose first word this is. */
  nextWith(word: string, from: number): number | undefined {
    return firstFrom(this.#byWord.get(word) ?? [], from);
  }
}

function firstFrom(ascending: readonly number[], least: number): number | undefined {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return ascending[low];
}
