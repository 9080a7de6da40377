// ask_host: asks for a host that the programs of a running agent may reach. Only the gate inside of `sallyport run` registers it.

import { z } from "zod";
import { hostText, parseOneHost } from "../policy/host-pattern.ts";
import { fail, ok } from "../shared/result.ts";
import { rootPath } from "../workspace/path.ts";
import { workspacePlan } from "./files/workspace-plan.ts";
import { parseNeededHosts } from "./programs/needed-hosts.ts";
import type { PlainTool } from "./tool.ts";

export const ASK_HOST = "ask_host";

/** Asks as a connection to the host would. Null: no program runs any more. */
export type RequestHost = (host: string, port: number) => Promise<HostAnswer | null>;

export interface HostAnswer {
  readonly decision: "allow" | "ask" | "deny";
  readonly why: string | null;
  readonly question: string | null;
  readonly isListening: boolean;
}

const askArguments = z
  .strictObject({ host: z.string().min(1).max(300).describe("A host and its port. Without a port it is 443.") })
  .meta({ examples: [{ host: "registry.npmjs.org:443" }] });

export function createAskHostTool(request: RequestHost): PlainTool<z.infer<typeof askArguments>> {
  return {
    name: ASK_HOST,
    title: "Ask for a host",
    description:
      "Asks a person whether programs here may connect to a host, before one tries. A connection waits only a few seconds for that.",
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: "never" },
    arguments: askArguments,
    result: z.object({ host: z.string(), hint: z.string().optional() }),
    plan({ host: text }) {
      const parsed = parseNeededHosts([text]);
      const [place = ""] = parsed.ok ? parsed.value : [];
      const found = parsed.ok ? parseOneHost(place) : null;
      if (found === null || found.port === null)
        return fail("invalid_args", `host: ${JSON.stringify(text)} is not one host and port.`, {
          hint: "Write it as example.org:443.",
        });
      const { host, port } = { host: hostText(found.host), port: found.port };
      return workspacePlan(ASK_HOST, rootPath, "r", { host: place }, async () => {
        const answer = await request(host, port);
        if (answer === null) return fail("tool_failed", "The program that the host was for has ended.");
        const { decision, question, isListening } = answer;
        const why = answer.why ?? "";
        if (decision === "deny") return fail("approval_denied", `${place} stays closed. ${why}`);
        if (decision === "ask")
          return fail("approval_timeout", `${place} is not open yet. ${why}`, {
            hint: `Question ${question ?? ""} waits for a person, on the page or in \`sallyport review\`. Ask again, or connect, once it is answered.`,
          });
        const hint = `Connections to port ${port} do not leave this box: a person has to add ${place} to net_grants before it starts.`;
        return ok({ host: place, ...(isListening ? {} : { hint }) });
      });
    },
  };
}
