// Recognises names that some file system treats as `.git`. What is below such a name belongs to git and is never content.

// Characters that HFS+ ignores when it compares names, and other invisible ones.
const ignored = /\p{Default_Ignorable_Code_Point}/gv;

/** True for every spelling of `.git`: case, Unicode normal forms, invisible characters, NTFS short names, streams and endings. */
export function isGitDirectoryName(name: string): boolean {
  if (!/[gG\u0080-\uffff]/.test(name)) return false;
  const plain = name.normalize("NFKC").replace(ignored, "").normalize("NFKC");
  // Folded both ways, because dotless and dotted i each equal the plain i in only one direction.
  const lower = plain.toLowerCase().replaceAll("\u0307", "");
  return isPlainGitName(lower) || isPlainGitName(plain.toUpperCase().toLowerCase());
}

// NTFS drops trailing dots and spaces, and reads what follows a colon as a stream of the same file.
function isPlainGitName(name: string): boolean {
  const base = (name.split(":")[0] as string).replace(/[. ]+$/, "");
  return base === ".git" || base === "git~1";
}
