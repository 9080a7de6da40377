// Opens a repository at GitHub for the person, after a yes to contacting it. It runs in a browser as well.

import type { Grant } from "../approval/grant.ts";
import type { Author } from "../git/identity.ts";
import { objectHash } from "../git/object-hash.ts";
import type { OpenedTarget } from "../git/publish/push/opened-target.ts";
import { githubAddress, githubTarget } from "../git/target/github/github.ts";
import { createGithubApi, type GithubContext } from "../git/target/github/github-api.ts";
import { parseGithubRepo } from "../git/target/url.ts";
import { ok, type Result } from "../shared/result.ts";
import { grantContact } from "./contact.ts";
import type { Walk } from "./walk.ts";

export interface GithubAccess {
  readonly baseUrl: string;
  /** The person's token. Null if they have none. Only called with the grant of the contact. */
  readonly token: (grant: Grant) => Promise<string | null>;
  readonly send: GithubContext["send"];
  readonly author: () => Author;
}

export async function openGithub(
  text: string,
  branch: string | null,
  walk: Walk,
  { baseUrl, token: tokenWith, send, author }: GithubAccess,
): Promise<Result<OpenedTarget>> {
  const repo = parseGithubRepo(text);
  if (!repo.ok) return repo;
  const credentials = `with your GitHub token for ${new URL(baseUrl).hostname}, if you have one`;
  const grant = await grantContact({ address: githubAddress(repo.value, baseUrl), branch, credentials }, walk);
  if (!grant.ok) return grant;
  const { session, live } = walk.context;
  const api = createGithubApi({ baseUrl, token: await tokenWith(grant.value), signal: live?.listener.signal, send });
  const hash = objectHash("sha1", session.machine.hashes);
  const target = githubTarget({ repo: repo.value, branch, api, hash });
  return ok({
    author,
    readState: () => target.readState(),
    async land(landing, _right, progress) {
      const landed = await target.land(landing, progress);
      return landed.ok ? ok([]) : landed;
    },
  });
}
