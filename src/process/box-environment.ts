// Builds the environment of a program from an empty one.
// Invariant: it contains only the fixed values here and the variables that the call names, and never a variable that makes a
// program load code. The map has no prototype, so `__proto__` is a name like any other.

import { ok, fail, type Result } from "../shared/result.ts";
import { limits } from "../shared/limits.ts";
import { loadsCode } from "./code-variables.ts";

/** What package managers read so that they do not try again for minutes while there is no network. */
const offlineVariables: Readonly<Record<string, string>> = Object.freeze({
  CARGO_NET_RETRY: "0",
  PIP_RETRIES: "0",
  npm_config_fetch_retries: "0",
});

/** What no program can do in a box, or need not ask a person about. */
const boxVariables: Readonly<Record<string, string>> = Object.freeze({
  ASAN_OPTIONS: "detect_leaks=0", // the search for leaks traces the program: without this each program ends with 1
  LSAN_OPTIONS: "detect_leaks=0",
  NO_UPDATE_NOTIFIER: "1",
  npm_config_update_notifier: "false", // `npm test` would ask for a host
});

/**
 * Variables that a box has for its network. `offline`: there is none. `proxy`: there is a port for programs that want a proxy.
 * `certificates`: the gate opens connections to some hosts, with certificates of its own.
 */
export type NetworkVariables = "offline" | "proxy" | "certificates";

/** Lies in /dev, because every box has its own /dev. */
export const CERTIFICATES_TARGET = "/dev/sallyport-certificates.pem";

const PROXY = `127.0.0.1:${limits.proxyPort}`;
/** Some programs read only the one spelling, some only the other. What listens in the box itself needs no proxy. */
const proxyVariables: Readonly<Record<string, string>> = Object.freeze(
  Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => {
      const value =
        name === "NO_PROXY" ? "localhost,127.0.0.1,::1" : `${name === "ALL_PROXY" ? "socks5h" : "http"}://${PROXY}`;
      return [name, name.toLowerCase()].map((spelled) => [spelled, value]);
    }),
  ),
);

const certificateVariables: Readonly<Record<string, string>> = Object.freeze(
  Object.fromEntries(
    [
      "SSL_CERT_FILE",
      "NODE_EXTRA_CA_CERTS",
      "REQUESTS_CA_BUNDLE",
      "CURL_CA_BUNDLE",
      "PIP_CERT",
      "CARGO_HTTP_CAINFO",
      "GIT_SSL_CAINFO",
    ].map((name) => [name, CERTIFICATES_TARGET]),
  ),
);

const ofNetwork: Readonly<Record<NetworkVariables, Readonly<Record<string, string>>>> = {
  offline: offlineVariables,
  proxy: proxyVariables,
  certificates: certificateVariables,
};

export interface WorkEnvironment {
  /** The directories of PATH. */
  readonly path: readonly string[];
  readonly network: readonly NetworkVariables[];
  /** HOME; null for the usual one, which is empty in each call. */
  readonly home: string | null;
  readonly user: string;
  /** Of the gate itself. */
  readonly more?: Readonly<Record<string, string>> | undefined;
}

/** For commands and scripts of an agent: with their PATH, and without attempts to reach a network that is not there. */
export function workEnvironment(
  extra: Readonly<Record<string, string>>,
  { path, network, home, user, more }: WorkEnvironment,
): Result<[string, string][]> {
  const ofBox = Object.assign({}, ...network.map((kind) => ofNetwork[kind])) as Record<string, string>;
  const own = { ...boxVariables, PATH: path.join(":"), ...(home === null ? {} : { HOME: home }), ...ofBox, ...more };
  return environmentFor(user, extra, own);
}

/** `user`: the name of the person, as programs see it. */
export function fixedEnvironment(user: string): Record<string, string> {
  const environment: Record<string, string> = Object.create(null);
  environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";
  environment["HOME"] = "/tmp";
  environment["LANG"] = "C.UTF-8";
  environment["LC_ALL"] = "C.UTF-8";
  environment["USER"] = user;
  environment["TERM"] = "dumb";
  environment["SHELL"] = "/bin/sh";
  return environment;
}

/** The fixed values, overridden by the variables of the call, sorted by name. */
export function environmentFor(
  user: string,
  extra: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Result<[string, string][]> {
  const environment = Object.assign(fixedEnvironment(user), own);
  const names = Object.keys(extra);
  if (names.length > limits.environmentCount) {
    return fail("invalid_args", `env: ${names.length} variables; at most ${limits.environmentCount} are taken.`);
  }
  for (const name of names) {
    const problem = environmentNameProblem(name);
    if (problem !== null)
      return fail("invalid_args", `env: ${JSON.stringify(name)} ${problem.reason}`, { hint: problem.hint });
    environment[name] = extra[name] as string;
  }
  return ok(Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface NameProblem {
  readonly reason: string;
  readonly hint: string;
}

function environmentNameProblem(name: string): NameProblem | null {
  if (name.startsWith("_")) {
    return {
      reason: "begins with an underscore: those names are reserved.",
      hint: "Use a name that begins with a letter.",
    };
  }
  if (!/^[A-Za-z][A-Za-z0-9_.-]*$/.test(name)) {
    return { reason: "is not a variable name.", hint: "Names are a letter, then letters, digits, `_`, `.` or `-`." };
  }
  // SECURITY(T04): such a variable turns any program into one that runs the agent's code before its own.
  if (loadsCode(name)) {
    return {
      reason: "makes programs load code, so it cannot be set.",
      hint: "Pass it as an argument of the program instead.",
    };
  }
  return null;
}
