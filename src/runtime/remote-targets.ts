// Opens targets on other machines for the person, after a yes to contacting them.

import type { Grant } from "../approval/grant.ts";
import { readPersonSettings } from "../git/person-config.ts";
import { findGit } from "../git/program.ts";
import type { LandingRight, OpenedTarget } from "../git/publish/push/opened-target.ts";
import { githubBaseUrl } from "../git/target/github/github-api.ts";
import { findGithubToken } from "../git/target/github/github-token.ts";
import { describeCredentials, noCredentials } from "../git/target/remote/credential-settings.ts";
import { readNetrc } from "../git/target/remote/netrc.ts";
import { createPersonGit } from "../git/target/remote/person-git.ts";
import { remoteTarget } from "../git/target/remote/remote.ts";
import type { GitTarget } from "../git/target/target.ts";
import { parseRemoteUrl, type RemoteUrl } from "../git/target/url.ts";
import { sendRequest } from "../process/network.ts";
import { runForPerson } from "../process/start.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { remoteAuthor } from "./commit-author.ts";
import { grantContact } from "./contact.ts";
import { type GithubAccess, openGithub } from "./github-repository.ts";
import type { Walk } from "./walk.ts";

type RemoteKind = Extract<GitTarget, { type: "remote" | "github" }>;

/** Shows the address, and contacts it only with a grant. */
export async function openRemote(target: RemoteKind, branch: string | null, walk: Walk): Promise<Result<OpenedTarget>> {
  return target.type === "remote"
    ? await openUrl(target.url, branch, walk)
    : await openGithub(target.repo, branch, walk, githubForPerson(walk));
}

/** With the token that the person's environment or `gh` has. */
function githubForPerson(walk: Walk): GithubAccess {
  const { config, environment } = walk.context.session.backend;
  const baseUrl = config.git.githubUrl ?? githubBaseUrl;
  return {
    baseUrl,
    token: (grant) => findGithubToken({ baseUrl, environment, run: personRunner(grant, walk) }),
    send: sendRequest,
    author: () => remoteAuthor(config),
  };
}

async function openUrl(text: string, branch: string | null, walk: Walk): Promise<Result<OpenedTarget>> {
  const { sandbox, config, environment } = walk.context.session.backend;
  const url = parseRemoteUrl(text);
  if (!url.ok) return url;
  const git = findGit();
  if (!git.ok) return git;
  const credentials = credentialsFor(url.value, environment);
  if (!credentials.ok) return credentials;
  const grant = await grantContact({ address: url.value.text, branch, credentials: credentials.value }, walk);
  if (!grant.ok) return grant;
  const gitBy = (run: RunForPerson) => createPersonGit({ git: git.value, environment, run, url: url.value });
  const target = remoteTarget({
    url: url.value,
    branch,
    git: gitBy(personRunner(grant.value, walk)),
    directory: sandbox.makePrivateDirectory(),
    signal: walk.context.live?.listener.signal,
  });
  return ok({
    author: () => remoteAuthor(config),
    readState: () => target.readState(),
    async land(landing, { runForPerson: run }, progress) {
      const landed = await target.land(landing, gitBy(run), progress);
      return landed.ok ? ok([]) : landed;
    },
  });
}

type RunForPerson = LandingRight["runForPerson"];

/** Runs commands for the person under this grant. They end with the gate. */
export function personRunner(grant: Grant, { context }: Walk): RunForPerson {
  const { guardian } = context.session.backend.sandbox;
  return (command) => runForPerson(grant, { ...command, guardian });
}

/** Describes the credentials from the person's settings, without running anything, because the person has not said yes yet. */
function credentialsFor(url: RemoteUrl, environment: Readonly<Record<string, string>>): Result<string> {
  const { HOME: home = "/", XDG_CONFIG_HOME: configHome = `${home}/.config` } = environment;
  const configFiles = { home, configHome, global: environment["GIT_CONFIG_GLOBAL"], ...systemSettings(environment) };
  const settings = readPersonSettings(configFiles, null);
  const netrc = url.protocol === "ssh" ? null : readNetrc(home);
  // SECURITY(T41): libcurl would send the default entry to any host that asks.
  if (netrc?.maySendDefault(url.host) === true)
    return fail(
      "tool_failed",
      `~/.netrc has a "default" entry, which git would send to ${url.host} as to any other host.`,
      {
        hint: `The person can take "default" out; or write "machine ${url.host} login … password …" before it, in a file without macros, quotes and comments behind words.`,
      },
    );
  const known = describeCredentials(
    url,
    settings.map(({ section, subsection, key, value }) => [
      [section, ...(subsection === null ? [] : [subsection]), key].join("."),
      value ?? "true",
    ]),
  );
  if (netrc?.mayName(url.host) !== true) return ok(known);
  const more = `what your ~/.netrc has for ${url.host}`;
  return ok(known === noCredentials ? `with ${more}` : `${known} and ${more}`);
}

/** Follows git: one variable names another file, and one turns the file off. */
function systemSettings(environment: Readonly<Record<string, string>>): { readonly system?: string } {
  const { GIT_CONFIG_NOSYSTEM: none = "", GIT_CONFIG_SYSTEM: system } = environment;
  if (/^(?:true|yes|on|[1-9]\d*)$/i.test(none)) return { system: "/dev/null" };
  return system === undefined ? {} : { system };
}
