// What the person may choose at GitHub: their repositories, and the branches of one.
// Invariant: the token goes to the API of the chosen GitHub alone, in one header, and no redirect is followed.

import { readGithubJson, type SendContext, secretsUrl, sendTimed } from "../../src/git/target/github/github-send.ts";
import { fieldsOf } from "../../src/shared/json.ts";
import { fail, ok, type Result } from "../../src/shared/result.ts";
import type { BranchList, RepositoryList } from "../../src/web/api-work.ts";
import type { KeptAccount } from "./kept.ts";

const PAGE = 100;
const SEARCHED_PAGES = 5;
/** A hundred repositories have about half a mebibyte. */
const ANSWER_BYTES = 8 * 1024 * 1024;
const NAME_CHARACTERS = 100;

/** The API of `https://github.com`, or of an Enterprise server. */
export function apiOf(githubUrl: string): string {
  const url = secretsUrl(githubUrl);
  return url === "https://github.com" ? "https://api.github.com" : `${url}/api/v3`;
}

export interface ListContext extends SendContext {
  readonly apiUrl: string;
  readonly token: string;
}

export async function readAccount(context: ListContext): Promise<Result<KeptAccount>> {
  const user = await getJson(context, "/user");
  if (!user.ok) return user;
  const { login, id, name } = fieldsOf(user.value);
  // The record names the person by their login, and their commits by all three.
  if (typeof login !== "string" || !/^[\w-]{1,100}$/.test(login)) return unreadable();
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0) return unreadable();
  const shown =
    typeof name === "string"
      ? name
          .replace(/[\p{C}<>]+/gu, " ")
          .trim()
          .slice(0, NAME_CHARACTERS)
      : "";
  return ok({ login, id, name: shown === "" ? login : shown });
}

/** Those that the person may push to, the last pushed first. */
export async function listRepositories(context: ListContext, search: string): Promise<Result<RepositoryList>> {
  const wanted = search.trim().toLowerCase();
  const repositories: RepositoryList["repositories"][number][] = [];
  for (let page = 1; ; page += 1) {
    const listed = await getJson(context, `/user/repos?sort=pushed&direction=desc&per_page=${PAGE}&page=${page}`);
    if (!listed.ok) return listed;
    if (!Array.isArray(listed.value)) return unreadable();
    for (const one of listed.value as unknown[]) {
      const { full_name: name, default_branch: branch, private: isPrivate, permissions } = fieldsOf(one);
      const mayPush = fieldsOf(permissions)["push"] !== false;
      if (typeof name !== "string" || typeof branch !== "string" || !mayPush) continue;
      if (name.toLowerCase().includes(wanted))
        repositories.push({ name, defaultBranch: branch, isPrivate: isPrivate === true });
    }
    const hasMore = listed.value.length === PAGE;
    if (!hasMore || page === SEARCHED_PAGES || (wanted === "" && repositories.length > 0))
      return ok({ repositories, hasMore });
  }
}

/** `repository`: checked by the caller. */
export async function listBranches(context: ListContext, repository: string): Promise<Result<BranchList>> {
  const listed = await getJson(context, `/repos/${repository}/branches?per_page=${PAGE}`);
  if (!listed.ok) return listed;
  if (!Array.isArray(listed.value)) return unreadable();
  const branches = (listed.value as unknown[]).flatMap((one) => {
    const { name } = fieldsOf(one);
    return typeof name === "string" ? [name] : [];
  });
  return ok({ branches, hasMore: listed.value.length === PAGE });
}

async function getJson({ apiUrl, token, ...context }: ListContext, path: string): Promise<Result<unknown>> {
  const headers = {
    accept: "application/vnd.github+json",
    authorization: `Bearer ${token}`,
    "x-github-api-version": "2022-11-28",
  };
  try {
    return await sendTimed(
      context,
      `${apiUrl}${path}`,
      { method: "GET", headers, redirect: "manual" },
      async (response, heard) => {
        if (response.status === 401)
          return fail("permission_denied", "GitHub does not take the token any more.", { hint: "Sign in again." });
        if (!response.ok)
          return fail("tool_failed", `GitHub answered ${response.status}.`, { hint: "Try again later." });
        return ok(await readGithubJson(response, heard, ANSWER_BYTES));
      },
    );
  } catch {
    return fail("tool_failed", `GitHub (${new URL(apiUrl).host}) cannot be reached.`, {
      hint: "Is this browser online, and may the extension reach this address?",
    });
  }
}

function unreadable(): Result<never> {
  return fail("tool_failed", "GitHub's answer is not what its interface says.");
}
