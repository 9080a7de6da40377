// Targets on other machines, opened for the person after they said yes to speaking to them.

import type { Grant } from "../approval/grant.ts";
import { objectHash } from "../git/object-hash.ts";
import { readPersonSettings } from "../git/person-config.ts";
import { findGit } from "../git/program.ts";
import { createGithubApi, githubBaseUrl } from "../git/target/github/github-api.ts";
import { findGithubToken } from "../git/target/github/github-token.ts";
import { githubAddress, githubTarget } from "../git/target/github/github.ts";
import { describeCredentials, noCredentials } from "../git/target/remote/credential-settings.ts";
import { readNetrc } from "../git/target/remote/netrc.ts";
import { createPersonGit } from "../git/target/remote/person-git.ts";
import { remoteTarget } from "../git/target/remote/remote.ts";
import type { GitTarget, TargetAccess } from "../git/target/target.ts";
import { parseGithubRepo, parseRemoteUrl, type RemoteUrl } from "../git/target/url.ts";
import type { ProcessGuardian } from "../process/process-guardian.ts";
import { sendRequest } from "../process/network.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { type PersonCommand, runForPerson } from "../process/start.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { OpenedTarget } from "../tools/commits/git-services.ts";

export interface RemoteOptions {
  /** The person's own environment: what signing in depends on. */
  readonly environment: Readonly<Record<string, string>>;
  readonly githubUrl: string | undefined;
  /** A new directory, private to the gate and gone with it. */
  readonly makeRoom: () => string;
  /** So that what runs for the person ends with the gate. */
  readonly guardian: ProcessGuardian | null;
}

export interface RemoteContext {
  readonly places: RemoteOptions;
  /** `branch`: the one that is meant; null: the default one. */
  readonly contact: (place: string, branch: string | null, credentials: string) => Promise<Result<Grant>>;
  /** What this call was granted; null until then: a contact has a grant of its own. */
  readonly granted: () => Grant | null;
  readonly signal: AbortSignal | undefined;
}

/** Who commits there is not for the place to say. */
type OpenedRemote = Omit<OpenedTarget, "author">;

type RemoteKind = Extract<GitTarget, { type: "remote" | "github" }>;

export async function openRemote(
  target: RemoteKind,
  branch: string | null,
  context: RemoteContext,
): Promise<Result<OpenedRemote>> {
  return target.type === "remote"
    ? await openUrl(target.url, branch, context)
    : await openGithub(target.repo, branch, context);
}

async function openUrl(
  text: string,
  branch: string | null,
  { places, contact, granted, signal }: RemoteContext,
): Promise<Result<OpenedRemote>> {
  const url = parseRemoteUrl(text);
  if (!url.ok) return url;
  const git = findGit();
  if (!git.ok) return git;
  const { environment } = places;
  const credentials = credentialsFor(url.value, environment);
  if (!credentials.ok) return credentials;
  const grant = await contact(url.value.text, branch, credentials.value);
  if (!grant.ok) return grant;
  const person = createPersonGit({
    git: git.value,
    environment,
    run: (command) => runForPerson(granted() ?? grant.value, { ...command, guardian: places.guardian }),
    url: url.value,
  });
  return ok(opened(remoteTarget({ url: url.value, branch, git: person, room: places.makeRoom(), signal })));
}

async function openGithub(
  text: string,
  branch: string | null,
  { places, contact, granted, signal }: RemoteContext,
): Promise<Result<OpenedRemote>> {
  const repo = parseGithubRepo(text);
  if (!repo.ok) return repo;
  const baseUrl = places.githubUrl ?? githubBaseUrl;
  const host = new URL(baseUrl).hostname;
  const grant = await contact(
    githubAddress(repo.value, baseUrl),
    branch,
    `with your GitHub token for ${host}, if you have one`,
  );
  if (!grant.ok) return grant;
  const run = (command: PersonCommand) =>
    runForPerson(granted() ?? grant.value, { ...command, guardian: places.guardian });
  const token = await findGithubToken({ baseUrl, environment: places.environment, run });
  const api = createGithubApi({ baseUrl, token, signal, send: sendRequest });
  return ok(opened(githubTarget({ repo: repo.value, branch, api, hash: objectHash("sha1", nodeHashes) })));
}

/** In words, from what is written in the person's settings: nothing is run before they have said yes. */
function credentialsFor(url: RemoteUrl, environment: Readonly<Record<string, string>>): Result<string> {
  const { HOME: home = "/", XDG_CONFIG_HOME: configHome = `${home}/.config` } = environment;
  const places = { home, configHome, global: environment["GIT_CONFIG_GLOBAL"], ...systemSettings(environment) };
  const settings = readPersonSettings(places, null);
  const netrc = url.protocol === "ssh" ? null : readNetrc(home);
  // SECURITY(T41): libcurl would send it to whoever asks.
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

/** As git takes them: it has a variable for another file, and one for none. */
function systemSettings(environment: Readonly<Record<string, string>>): { readonly system?: string } {
  const { GIT_CONFIG_NOSYSTEM: none = "", GIT_CONFIG_SYSTEM: system } = environment;
  if (/^(?:true|yes|on|[1-9]\d*)$/i.test(none)) return { system: "/dev/null" };
  return system === undefined ? {} : { system };
}

function opened(access: TargetAccess): OpenedRemote {
  return {
    look: () => access.look(),
    async land(landing, progress) {
      const landed = await access.land(landing, progress);
      return landed.ok ? ok([]) : landed;
    },
  };
}
