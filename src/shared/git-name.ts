// Which names some file system would take for `.git`. What lies below such a name is git's own, never content.

// What HFS+ leaves out when it compares names, and the rest of what nobody sees.
const ignored = /\p{Default_Ignorable_Code_Point}/gv;

/** True for `.git` in any disguise: case, normal forms, invisible characters, NTFS's short names, streams and endings. */
export function isGitDirectoryName(name: string): boolean {
  if (!/[gG\u0080-\uffff]/.test(name)) return false;
  const plain = name.normalize("NFKC").replace(ignored, "").normalize("NFKC");
  // Both ways, because the dotless and the dotted i meet the plain one in one of them only.
  const lower = plain.toLowerCase().replaceAll("\u0307", "");
  return isPlainGitName(lower) || isPlainGitName(plain.toUpperCase().toLowerCase());
}

// NTFS drops dots and spaces at the end of a name, and what follows a colon names a stream of the same file.
function isPlainGitName(name: string): boolean {
  const base = (name.split(":")[0] as string).replace(/[. ]+$/, "");
  return base === ".git" || base === "git~1";
}
