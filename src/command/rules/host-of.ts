// Reads the host in an argument, as the program would, with the port where it is known: `example.org:443`.

import { hostAndPortText, parseOneHost } from "../../policy/host-pattern.ts";

/** The usual ports of the schemes. With another scheme, the port is not known unless it is written. */
const usualPorts: Readonly<Record<string, number>> = Object.freeze({
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
  ftp: 21,
  ssh: 22,
  sftp: 22,
  "git+ssh": 22,
  "ssh+git": 22,
  git: 9418,
  rsync: 873,
});

const withScheme = /^([a-z][a-z0-9+.-]*):\/\//i;

/** `scheme`: what the program takes the address for if it has none. `*`: any host, because programs read odd URLs differently. */
export function hostOfUrl(text: string, scheme = "http"): string {
  const url = withScheme.test(text) ? text : `${scheme}://${text}`;
  if (
    /[\\\s{}[\]^`|<>"]|[^\x21-\x7e]/.test(url.replace(/^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?)\[[0-9a-f:.]+\]/i, "$1"))
  )
    return "*";
  // URL.parse reads the host of few schemes, and leaves a scheme's own port out: 80 is read with the other one.
  const readAs = (other: string) => URL.parse(url.replace(/^[a-z][a-z0-9+.-]*:\/+/i, `${other}://`));
  const parsed = readAs("http");
  if (parsed === null || parsed.hostname === "") return "*";
  const written = parsed.port || (readAs("https")?.port ?? "");
  const usual = usualPorts[withScheme.exec(url)?.[1]?.toLowerCase() ?? ""];
  return hostWithPort(parsed.hostname, written === "" ? (usual ?? null) : Number(written));
}

/** `hostname` as in a URL, or a host alone. `*` if it is none. */
function hostWithPort(hostname: string, port: number | null): string {
  const host = hostname.replace(/\.$/, "");
  const one = parseOneHost(host);
  if (one === null) return "*";
  // `localhost` and 127.0.0.1 are the same host; a person reads what was written.
  const shown = one.host.kind === "localhost" ? host : hostAndPortText(one.host, 1).replace(/:1$/, "");
  return port === null ? shown.replace(/^\[(.*)\]$/, "$1") : `${shown}:${port}`;
}

/** `host`, `user@host`, `host:path`, `ssh://host/…`. null: a local path. */
export function hostOfRemote(text: string): string | null {
  if (/^file:\/\//i.test(text)) return null;
  if (withScheme.test(text)) return hostOfUrl(text);
  // As git and scp decide it: a colon before any slash. rsync has a port of its own behind two.
  const found = /^(?:[^/:]*@)?(\[[^\]/]*\]|[^/:]*):(:?)/.exec(text);
  return found === null ? null : hostOfUrl(found[1] || " ", found[2] === ":" ? "rsync" : "ssh");
}

/** `[user@]host` alone. */
export function hostOfLogin(text: string): string {
  return hostOfUrl(text.startsWith("ssh://") ? text : text.slice(text.lastIndexOf("@") + 1), "ssh");
}

/** The same host with another port; null: a port that only the run will know. */
export function atPort(host: string, port: string | null): string {
  const one = parseOneHost(host);
  if (one === null) return "*";
  const name = host.replace(/(?<=\]|^[^:]*):\d+$/, "");
  return hostWithPort(name, port !== null && /^\d{1,5}$/.test(port) ? Number(port) : null);
}
