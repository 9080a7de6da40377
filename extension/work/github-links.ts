// Addresses of pages at GitHub. What a server or an agent named becomes a link only if it leads to the GitHub that the person chose.

/** Null if it leads anywhere else. SECURITY(T94): a link of a sign-in is of the host that the person chose. */
export function linkAt(githubUrl: string, address: string): string | null {
  const [own, asked] = [URL.parse(githubUrl), URL.parse(address)];
  if (own === null || asked === null || own.origin === "null" || asked.origin !== own.origin) return null;
  return asked.username === "" && asked.password === "" ? asked.href : null;
}

export interface PushedAddress {
  readonly githubUrl: string;
  readonly repository: string;
}

export function branchLink({ githubUrl, repository }: PushedAddress, branch: string): string | null {
  return pageOf(githubUrl, [...repository.split("/"), "tree", ...branch.split("/")]);
}

export function commitLink({ githubUrl, repository }: PushedAddress, commit: string): string | null {
  return /^[0-9a-f]{40,64}$/.test(commit) ? pageOf(githubUrl, [...repository.split("/"), "commit", commit]) : null;
}

function pageOf(githubUrl: string, names: readonly string[]): string | null {
  if (names.some((name) => ["", ".", ".."].includes(name) || !name.isWellFormed())) return null;
  return linkAt(githubUrl, `${githubUrl.replace(/\/$/, "")}/${names.map(encodeURIComponent).join("/")}`);
}
