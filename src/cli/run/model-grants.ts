// The hosts of an agent's models: what is granted for them, and where the person's key goes.
// Invariant: the key itself is in none of this. The gate reads it from the person's environment for each request.

import { grantForHost, parseHostGrant, type HostGrant } from "../../policy/host-grant.ts";
import type { NetGrants } from "../../policy/net-grants.ts";
import { UsageError } from "../usage-error.ts";
import type { AgentProfile, ModelHost } from "./agent-profile.ts";

/** What the box has where the person has a key. It is no secret, and the same everywhere. */
export const PLACEHOLDER = "sallyport-placeholder-the-gate-adds-the-key";

/** Of one session of an agent. A key in a box is the right to spend. */
const MOST_REQUESTS = 10_000;

export interface ModelGrants {
  readonly hosts: readonly HostGrant[];
  readonly environment: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  /** For the person, before the agent starts. */
  readonly notes: readonly string[];
}

export function grantModels(
  { title, models }: AgentProfile,
  person: Readonly<Record<string, string | undefined>>,
  granted: NetGrants,
): ModelGrants {
  const hosts: HostGrant[] = [];
  const environment: Record<string, string> = {};
  const words: string[] = [];
  const notes: string[] = [];
  for (const model of models) {
    const key = model.keys.find(({ variable }) => (person[variable] ?? "").trim() !== "");
    if (key === undefined && models.length > 1) continue;
    const { address, host, port, below } = addressOf(model, person);
    const place = port === 443 ? host : `${host}:${port}`;
    if (model.addressVariable !== null && below !== null) environment[model.addressVariable] = address;
    if (granted.isWhole) {
      notes.push(`net_grants is ["*"], where the gate sees no request. So it adds no key for ${title}.`);
      continue;
    }
    if (key === undefined) {
      notes.push(`${title} may reach ${place}. ${keyHint(model)}`);
    } else {
      environment[key.variable] = PLACEHOLDER; // SECURITY(T71): never the key
      words.push(...(model.options?.(`${address}${below === null ? "/v1" : ""}`, key.variable) ?? []));
      notes.push(
        `${title} may reach ${place}. The gate adds ${key.variable} to its requests; the box has a placeholder`,
      );
    }
    // What the person has written about this host counts.
    if (grantForHost(granted.hosts, host, port)?.open != null) continue;
    const open = key === undefined ? {} : openFor(model, key, below);
    const parsed = parseHostGrant({ host, port, ...open });
    if (!parsed.ok) throw new UsageError(`${model.addressVariable}: ${parsed.failure.message}`);
    hosts.push(...parsed.value);
  }
  if (hosts.length === 0 && models.length > 1 && !granted.isWhole)
    notes.push(`There is no key for ${title}. ${models.map(keyHint).join(" ")}`);
  return { hosts, environment, words, notes };
}

/** Some addresses already end in the version of the interface, or have none. */
const version = /^\/v1(?:beta)?(?=\/)/;

function openFor({ paths }: ModelHost, { variable, header, scheme }: ModelHost["keys"][number], below: string | null) {
  return {
    open: true,
    methods: ["GET", "HEAD", "POST"],
    // Another address has the same interface below a path of its own.
    paths:
      below === null
        ? paths
        : [...new Set(paths.flatMap((path) => [`${below}${path}`, `${below}${path.replace(version, "")}`]))],
    credential: { env: variable, header, scheme },
    requests: MOST_REQUESTS,
  };
}

function keyHint({ host, keys }: ModelHost): string {
  return `If ${keys[0]?.variable ?? "a key"} is set, the gate adds the key for ${host} outside the box.`;
}

interface ModelAddress {
  readonly address: string;
  readonly host: string;
  readonly port: number;
  /** The path below which the person's own address has the interface; null for the usual host. */
  readonly below: string | null;
}

function addressOf(
  { host, addressVariable }: ModelHost,
  person: Readonly<Record<string, string | undefined>>,
): ModelAddress {
  const written = (addressVariable === null ? undefined : person[addressVariable])?.trim() ?? "";
  if (written === "") return { address: `https://${host}`, host, port: 443, below: null };
  const url = URL.parse(written);
  // SECURITY(T71): a key is not sent where others can read it.
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new UsageError(
      `${addressVariable}: ${JSON.stringify(written)} is not an address that a key can be sent to. Write it as https://HOST/PATH, or unset it.`,
    );
  const below = url.pathname.replace(/\/+$/, "");
  return { address: `${url.origin}${below}`, host: url.hostname, port: Number(url.port || 443), below };
}
