// Sends the gate's own network requests. No other module calls `fetch`. Boxes, and git for the person, have their own network access.

import { lookup } from "node:dns/promises";

export function sendRequest(url: string, options: RequestInit): Promise<Response> {
  return fetch(url, options);
}

/** All addresses of a name, as any program of this machine would find them. */
export async function lookUpAddresses(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
