// Who says whether a program in a box may reach a host.

import type { HostGrant } from "../policy/host-grant.ts";

export type ConnectionVerdict =
  | {
      readonly decision: "allow";
      /** Whether a grant says `private: true`, or names the address itself. */
      readonly mayBePrivate: boolean;
      readonly grant: HostGrant | null;
    }
  /** Nobody has answered, or not in time. */
  | { readonly decision: "ask"; readonly question: string | null; readonly why: string }
  | { readonly decision: "deny"; readonly why: string };

export interface ConnectionJudge {
  /** May ask a person, and waits for a limited time: the program is held meanwhile. */
  judge(host: string, port: number): Promise<ConnectionVerdict>;
}
