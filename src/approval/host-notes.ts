// What a person should know about a host before they allow it.

import type { Effect } from "../action/effect.ts";
import { coversHost, type HostPattern, parseOneHost } from "../policy/host-pattern.ts";
import { hostSetOf, hostSets } from "../policy/host-sets.ts";
import { displayText } from "../shared/display.ts";

/** Domains below which many sites of different owners are served from the same machines. */
const sharedSuffixes = (
  "amazonaws.com cloudfront.net akamaized.net akamaihd.net edgekey.net fastly.net fastlylb.net azureedge.net azurefd.net " +
  "blob.core.windows.net googleusercontent.com googleapis.com gstatic.com firebaseapp.com web.app workers.dev pages.dev r2.dev " +
  "cloudflare.net cdn.jsdelivr.net unpkg.com vercel.app netlify.app herokuapp.com github.io githubusercontent.com gitlab.io"
).split(" ");

/** Safe to display. Each note once. */
export function hostNotes(asked: readonly Effect[]): readonly string[] {
  const hosts = asked.flatMap((effect) => (effect.kind === "network" ? [effect.host] : []));
  if (hosts.includes("*")) return ["a script that has the network has the whole network of this machine, not one host"];
  return [...new Set(hosts)].flatMap((text) => {
    const host = parseOneHost(text)?.host;
    const set = hostSetOf(text);
    const shown = displayText(text);
    return [
      ...(host !== undefined && isShared(host)
        ? [`${shown} is shared by many sites: who reaches it can send to others there`]
        : []),
      ...(set === undefined ? [] : [`${shown} belongs to the set ${set}: ${hostSets[set].opens}`]),
    ];
  });
}

function isShared(host: HostPattern): boolean {
  return sharedSuffixes.some(
    (suffix) =>
      coversHost({ kind: "below", suffix, isDeep: true }, host) || coversHost({ kind: "name", name: suffix }, host),
  );
}
