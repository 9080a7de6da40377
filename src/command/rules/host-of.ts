// Reads the host in an argument, as the program would.

/** `*`: any host. Programs read odd URLs differently, so an odd one may lead to any host. */
export function hostOfUrl(text: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (
    /[\\\s{}[\]^`|<>"]|[^\x21-\x7e]/.test(url.replace(/^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?)\[[0-9a-f:.]+\]/i, "$1"))
  )
    return "*";
  // As http, because URL.parse does not read the host of other schemes.
  const parsed = URL.parse(url.replace(/^[a-z][a-z0-9+.-]*:\/+/i, "http://"));
  if (parsed === null || parsed.hostname === "") return "*";
  return parsed.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** `host`, `user@host`, `host:path`, `ssh://host/…`. null: a local path. */
export function hostOfRemote(text: string): string | null {
  if (/^file:\/\//i.test(text)) return null;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return hostOfUrl(text);
  // As git and scp decide it: a colon before any slash.
  const found = /^(?:[^/:]*@)?(\[[^\]/]*\]|[^/:]*):/.exec(text);
  return found === null ? null : hostOfUrl(found[1] || " ");
}

/** `[user@]host` alone. */
export function hostOfLogin(text: string): string {
  return hostOfUrl(text.startsWith("ssh://") ? text : text.slice(text.lastIndexOf("@") + 1));
}
