// The files of a repository that is pulled: as long and as compressible as sources are.

const words =
  "const return function await import type readonly string number value index name path found entry files result error null true if else for of new map".split(
    " ",
  );
const FILE_BYTES = 2_048;

/** Of 2 KB, in 20 directories. The same each time. */
export function smallFiles(count: number): Record<string, string> {
  let seed = 1;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const fileOf = (): string => {
    let text = "";
    while (text.length < FILE_BYTES)
      text += `${words[next(words.length)]}${next(4) === 0 ? `${next(100_000)};\n  ` : " "}`;
    return text.slice(0, FILE_BYTES);
  };
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index % 20}/f${index}.ts`, fileOf()]));
}
