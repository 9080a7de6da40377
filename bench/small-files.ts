// The files of a repository that is pulled.

/** Of 2 KB, in 20 directories. */
export function smallFiles(count: number): Record<string, string> {
  const files = Array.from({ length: count }, (_, index) => [`d${index % 20}/f${index}.ts`, `${index} `.repeat(500)]);
  return Object.fromEntries(files) as Record<string, string>;
}
