// The address of a gate, as a person types it.

export interface GateAddress {
  /** Without a slash at its end. */
  readonly address: string;
  /** What the browser asks the person about. It takes no port. */
  readonly pattern: string;
}

const loopback = ["127.0.0.1", "localhost"];

/** Null if it is none. SECURITY(T84): a token goes over plain HTTP only if it stays on this machine. */
export function readAddress(text: string): GateAddress | null {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`);
  if (url === null || url.username !== "" || url.password !== "") return null;
  const isFit = url.protocol === "https:" || (url.protocol === "http:" && loopback.includes(url.hostname));
  return isFit ? { address: url.origin, pattern: `${url.protocol}//${url.hostname}/*` } : null;
}
