// Finds the person's token for GitHub: from their environment, otherwise from `gh auth token`.
// Invariant: a token for github.com is sent only to github.com. Other servers have variables of their own.

import type { PersonCommand, PersonResult } from "../../../process/start.ts";
import { isTrustedProgram } from "../../../process/trusted-program.ts";
import { isGithubToken } from "./github-answer.ts";

export interface GithubTokenContext {
  /** The address of the API. */
  readonly baseUrl?: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** `runForPerson` with the grant that covers it. */
  readonly run: (command: PersonCommand) => Promise<PersonResult>;
  readonly paths?: readonly string[] | undefined;
}

const ghPaths = ["/usr/bin/gh", "/usr/local/bin/gh", "/snap/bin/gh", "/run/current-system/sw/bin/gh"];
const passedOn = "HOME USER PATH XDG_CONFIG_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS GH_CONFIG_DIR".split(" ");
/** `gh` only reads its files, or asks a keyring that may be locked. */
const GH_MS = 30_000;

/** Null if the person has no token. Then the gate can read only public repositories. */
export async function findGithubToken({
  baseUrl,
  environment,
  run,
  paths,
}: GithubTokenContext): Promise<string | null> {
  const host = new URL(baseUrl ?? "https://api.github.com").hostname.replace(/^api\.github\.com$/, "github.com");
  const names =
    host === "github.com" || host.endsWith(".ghe.com")
      ? ["GH_TOKEN", "GITHUB_TOKEN"]
      : ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];
  for (const name of names) {
    const value = environment[name]?.trim() ?? "";
    if (isGithubToken(value)) return value;
  }
  const gh = (paths ?? ghPaths).find(isTrustedProgram);
  if (gh === undefined) return null;
  const own: Record<string, string> = {};
  for (const name of passedOn) if (environment[name] !== undefined) own[name] = environment[name];
  const { exitCode, stdout } = await run({
    file: gh,
    args: ["auth", "token", "--hostname", host],
    environment: { ...own, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" },
    cwd: "/",
    stdin: null,
    timeAllowed: { silentMs: GH_MS, totalMs: GH_MS },
  });
  const token = new TextDecoder().decode(stdout).trim();
  return exitCode === 0 && isGithubToken(token) ? token : null;
}
