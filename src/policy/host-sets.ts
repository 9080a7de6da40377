// The usual hosts of package managers, under one name each. A grant or an answer that uses the name opens all of them.

export interface HostSet {
  readonly hosts: readonly string[];
  /** What a program can do there, also beyond what the set is meant for. */
  readonly opens: string;
}

export const hostSets = {
  npm: {
    hosts: ["registry.npmjs.org:443", "registry.yarnpkg.com:443"],
    opens: "install packages of npm, pnpm and yarn; publish them, with a token",
  },
  pypi: {
    hosts: ["pypi.org:443", "files.pythonhosted.org:443"],
    opens: "install packages of pip and uv",
  },
  crates: {
    hosts: ["index.crates.io:443", "static.crates.io:443"],
    opens: "install packages of cargo. An older cargo (before 1.70) reads its index from github.com",
  },
  go: {
    hosts: ["proxy.golang.org:443", "sum.golang.org:443"],
    opens: "install modules of go. The proxy fetches any public module that it is asked for",
  },
  debian: {
    hosts: ["deb.debian.org:80", "deb.debian.org:443", "security.debian.org:80", "security.debian.org:443"],
    // A content network's, and plain HTTP: the gate does not read which of its sites a request names.
    opens: "install packages of apt; reach other sites of the same content network, without TLS",
  },
  github: {
    hosts: [
      "github.com:443",
      "api.github.com:443",
      "codeload.github.com:443",
      "raw.githubusercontent.com:443",
      "objects.githubusercontent.com:443",
      "release-assets.githubusercontent.com:443",
    ],
    opens: "clone, download and call the API; write to any repository and gist, with a token",
  },
} as const satisfies Readonly<Record<string, HostSet>>;

export type HostSetName = keyof typeof hostSets;

export const hostSetNames = Object.keys(hostSets) as readonly HostSetName[];

export function isHostSetName(text: string): text is HostSetName {
  return Object.hasOwn(hostSets, text);
}

/** The set that the host belongs to; `host` is as in effects, with its port. */
export function hostSetOf(host: string): HostSetName | undefined {
  return hostSetNames.find((name) => (hostSets[name].hosts as readonly string[]).includes(host));
}
