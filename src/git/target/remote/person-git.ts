// Runs git for the person outside the box, with their own credentials and proxies, and with nothing else of the person's or a
// repository's configuration.
// Invariant: of the person's configuration, git uses only how to reach a host and how to sign in there, and a credential only for
// the host it was set up for. Git contacts the URL that was shown: nothing rewrites it (insteadOf), and git follows no redirect.
// If a credential may have been used, the gate does not repeat what the server says. Git is ended if the host falls silent.

import type { TimeAllowed } from "../../../process/time-allowed.ts";
import type { PersonCommand, PersonResult } from "../../../process/start.ts";
import { limits } from "../../../shared/limits.ts";
import { withoutCredentials } from "../../../audit/credential-echo.ts";
import { describeCredentials, isScoped, noCredentials, secretsIn, type Setting } from "./credential-settings.ts";
import { progressReader } from "./git-progress.ts";
import { readNetrc } from "./netrc.ts";
import { withoutServerReason, withoutServerWords } from "./server-words.ts";
import type { Progress } from "../target.ts";
import type { RemoteUrl } from "../url.ts";

export interface PersonGitOptions {
  readonly cwd: string;
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Added to the variables set here. GIT_ALLOW_PROTOCOL allows one transport; without it, git has none. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Added to the forced settings. */
  readonly config?: readonly (readonly [key: string, value: string])[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: Progress | undefined;
}

export type PersonGit = (words: readonly string[], options: PersonGitOptions) => Promise<PersonGitResult>;

export interface PersonGitResult {
  readonly exitCode: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: string;
  readonly cut: PersonResult["cut"];
}

export interface PersonGitContext {
  /** The path of git. */
  readonly git: string;
  /** The person's own environment. Git gets only the variables in `passedOn`. */
  readonly environment: Readonly<Record<string, string>>;
  /** `runForPerson` with the grant that covers it. */
  readonly run: (command: PersonCommand) => Promise<PersonResult>;
  readonly timeAllowed?: TimeAllowed | undefined;
  /** The server to contact. If the person may have been signed in there, the gate does not repeat the server's words. */
  readonly url?: RemoteUrl | undefined;
}

/** The size limit of output that is cleaned: listings and push reports. Longer output is a pack or a file. */
const MOST_SAID = 1 << 20;

const remoteTimeAllowed: TimeAllowed = {
  silentMs: limits.remoteSilentS * 1_000,
  totalMs: limits.remoteTotalS * 1_000,
};

// Variables that signing in and reaching a host depend on: agents, helpers and their stores, proxies, certificates.
const passedOn: readonly string[] = [
  ..."HOME USER LOGNAME PATH XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR TMPDIR".split(" "),
  ..."SSH_AUTH_SOCK SSH_AGENT_PID DBUS_SESSION_BUS_ADDRESS GNUPGHOME PASSWORD_STORE_DIR KRB5CCNAME KRB5_CONFIG".split(
    " ",
  ),
  ..."GH_TOKEN GITHUB_TOKEN GH_HOST GH_CONFIG_DIR GLAB_CONFIG_DIR GIT_SSH GIT_SSH_VARIANT".split(" "),
  ..."http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY".split(" "),
  ..."SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE GIT_SSL_CAINFO GIT_SSL_CAPATH".split(" "),
];

const fixedEnvironment: Readonly<Record<string, string>> = {
  LC_ALL: "C.UTF-8", // because the gate parses git's messages
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "", // empty, so that git uses neither core.askPass nor SSH_ASKPASS
  SSH_ASKPASS_REQUIRE: "never",
  GCM_INTERACTIVE: "never",
  GIT_ALLOW_PROTOCOL: "none",
};

// These come after the person's own settings, so that they win.
const forcedConfig: readonly (readonly [key: string, value: string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.alternateRefsCommand", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["protocol.version", "2"],
  ["http.followRedirects", "false"],
  ["transfer.bundleURI", "false"],
  ["transfer.credentialsInUrl", "die"],
  ["push.gpgSign", "false"],
  ["push.followTags", "false"],
  ["submodule.recurse", "false"],
  ["credential.interactive", "false"],
];

export function createPersonGit({
  git,
  environment,
  run,
  timeAllowed = remoteTimeAllowed,
  url,
}: PersonGitContext): PersonGit {
  const silentS = Math.ceil(timeAllowed.silentMs / 1_000);
  const own: Record<string, string> = Object.create(null);
  for (const name of passedOn) if (environment[name] !== undefined) own[name] = environment[name];
  let settings: Promise<readonly Setting[]> | undefined;
  return async (words, options) => {
    const result = await start(words, options);
    if ((options.environment?.["GIT_ALLOW_PROTOCOL"] ?? "none") === "none") return result;
    const used = (await settings) ?? [];
    const secrets = secretsIn(used);
    const isSignedIn = url !== undefined && signsIn(url, used);
    const isPush = isSignedIn && words.includes("--porcelain");
    return {
      ...result,
      stderr: withoutCredentials(isSignedIn ? withoutServerWords(result.stderr) : result.stderr, secrets),
      stdout: cleanBytes(result.stdout, (said) =>
        withoutCredentials(isPush ? withoutServerReason(said) : said, secrets),
      ),
    };
  };

  async function start(words: readonly string[], options: PersonGitOptions): ReturnType<PersonGit> {
    settings ??= readSettings();
    const config = [...(await settings), ...forcedConfig, ...lowSpeed(silentS), ...(options.config ?? [])];
    const written = environment["GIT_SSH_COMMAND"] ?? lastOf(config, "core.sshcommand");
    const ssh = sshCommand(written, environment, config, silentS);
    return await run({
      file: git,
      args: ["--no-pager", ...words],
      environment: {
        ...own,
        ...fixedEnvironment,
        ...(ssh === null ? {} : { GIT_SSH_COMMAND: ssh }),
        // Not passed as arguments, because every user of the machine can read those, and a header may contain a token.
        ...configVariables(config),
        ...options.environment,
      },
      cwd: options.cwd,
      stdin: options.stdin ?? null,
      signal: options.signal,
      timeAllowed,
      onStderr: options.onProgress === undefined ? undefined : progressReader(options.onProgress),
    });
  }

  function signsIn(remoteUrl: RemoteUrl, used: readonly Setting[]): boolean {
    if (remoteUrl.protocol === "ssh") return false;
    return (
      describeCredentials(remoteUrl, used) !== noCredentials ||
      readNetrc(environment["HOME"] ?? "/").mayName(remoteUrl.host)
    );
  }

  /** The person's and the system's settings that `isTaken` accepts. */
  async function readSettings(): Promise<readonly (readonly [string, string])[]> {
    const reading: Record<string, string> = { ...own, LC_ALL: "C.UTF-8" };
    for (const name of ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"])
      if (environment[name] !== undefined) reading[name] = environment[name];
    const { exitCode, stdout } = await run({
      file: git,
      args: ["config", "--list", "--null", "--show-scope", "--includes"],
      environment: reading,
      cwd: "/",
      stdin: null,
      timeAllowed,
    });
    return exitCode === 0 ? takenSettings(Buffer.from(stdout).toString("utf8")) : [];
  }
}

/** Parses `scope NUL key LF value NUL …`. A key without a value has no LF. */
export function takenSettings(text: string): (readonly [string, string])[] {
  const taken: (readonly [string, string])[] = [];
  const parts = text.split("\0");
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [scope, entry = ""] = [parts[index], parts[index + 1]];
    const cut = entry.indexOf("\n");
    const key = cut < 0 ? entry : entry.slice(0, cut);
    const value = cut < 0 ? "true" : entry.slice(cut + 1);
    if ((scope === "system" || scope === "global") && isTaken(key, value)) taken.push([key, value]);
  }
  return taken;
}

function isTaken(key: string, value: string): boolean {
  // `http.<url>.followRedirects` would override the forced `http.followRedirects`.
  if (/^http\.(?:.*\.)?followredirects$/is.test(key)) return false;
  return /^(?:credential|http)\.|^core\.sshcommand$|^ssh\.variant$/i.test(key) && isScoped(key, value);
}

function lastOf(config: readonly (readonly [string, string])[], name: string): string | undefined {
  return config.findLast(([key]) => key.toLowerCase() === name)?.[1];
}

/** Ends a transfer below one byte a second: slower than the keep-alives that git servers send while they work. */
function lowSpeed(silentS: number): readonly (readonly [string, string])[] {
  return [
    ["http.lowSpeedLimit", "1"],
    ["http.lowSpeedTime", String(silentS)],
  ];
}

/**
 * Adds options to OpenSSH, which would otherwise ask at the terminal and wait forever. Other programs (plink, a wrapper) do not know
 * the options. Null to leave the choice to git.
 */
function sshCommand(
  written: string | undefined,
  environment: Readonly<Record<string, string>>,
  config: readonly (readonly [string, string])[],
  silentS: number,
): string | null {
  const variant = environment["GIT_SSH_VARIANT"] ?? lastOf(config, "ssh.variant") ?? "auto";
  if (written === undefined && environment["GIT_SSH"] !== undefined) return null;
  const command = written ?? "ssh";
  const [program = ""] = command.trim().split(/\s+/);
  const isOpenSsh = variant === "ssh" || (variant === "auto" && /(?:^|\/)ssh$/.test(program));
  if (!isOpenSsh) return written ?? null;
  const options = {
    BatchMode: "yes",
    ConnectTimeout: Math.min(silentS, 30),
    ServerAliveInterval: Math.ceil(silentS / 4),
    ServerAliveCountMax: 4,
    // SECURITY(T41): the keys of an ssh agent are used only on this machine.
    ForwardAgent: "no",
  };
  return [command, ...Object.entries(options).map(([name, value]) => `-o ${name}=${value}`)].join(" ");
}

/** Returns the same bytes if nothing was removed, because they may be files. */
function cleanBytes(bytes: Uint8Array, cleaned: (said: string) => string): Uint8Array {
  if (bytes.length > MOST_SAID) return bytes;
  const said = new TextDecoder().decode(bytes);
  const clean = cleaned(said);
  return clean === said ? bytes : new TextEncoder().encode(clean);
}

function configVariables(config: readonly (readonly [string, string])[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) };
  for (const [index, [key, value]] of config.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
