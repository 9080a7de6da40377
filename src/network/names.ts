// The names that a box has looked up, each with an address of 198.18.0.0/15, which the box takes for its own. A connection to such
// an address says which name it is for. Nobody outside is asked about a name here.

const PER_BLOCK = 250; // no address ends in .0 or .255, which some programs refuse

export interface NameMap {
  /** The address of a name that the box looks up. Null: the call has looked up too many. */
  lookUp(name: string): string | null;
  /** The same for a name that the gate expects, before the box looks it up. */
  reserve(name: string): string | null;
  nameOf(address: string): string | null;
  /** Notes that a connection for this name arrived. */
  reached(name: string): void;
  /** What was looked up, and never connected to. */
  unreached(): readonly string[];
}

/** Names are in the spelling of `parseRemoteHost`. */
export function createNameMap(mostNames: number): NameMap {
  const addresses = new Map<string, string>();
  const names = new Map<string, string>();
  const unreached = new Set<string>();
  const reachedNames = new Set<string>();

  function reserve(name: string): string | null {
    if (name === "localhost") return "127.0.0.1";
    const known = addresses.get(name);
    if (known !== undefined) return known;
    // SECURITY(T62): a name costs memory, and a line in the reply.
    if (addresses.size >= mostNames) return null;
    const address = `198.18.${Math.floor(addresses.size / PER_BLOCK)}.${(addresses.size % PER_BLOCK) + 1}`;
    addresses.set(name, address);
    names.set(address, name);
    return address;
  }

  return {
    reserve,
    lookUp(name) {
      const address = reserve(name);
      if (address !== null && name !== "localhost" && !reachedNames.has(name)) unreached.add(name);
      return address;
    },
    nameOf: (address) => names.get(address) ?? null,
    reached(name) {
      unreached.delete(name);
      reachedNames.add(name);
    },
    unreached: () => [...unreached],
  };
}
