// The schema of `notify`: how a person is told that questions wait. What depends on several fields is checked in notify.ts.

import { z } from "zod";
import { configBounds } from "./config-bounds.ts";
import { list } from "./rule-schema.ts";

const secretName = z.string().min(1).max(200);

export const notifySchema = z.strictObject({
  command: list(z.string().min(1).max(4096))
    .optional()
    .describe(
      "A program and its words, such as `[notify-send, Sallyport, A question waits]`. It runs as you, outside any box, in `/`. Nothing is put into its words: its standard input and `SALLYPORT_NOTICE_*` have the text.",
    ),
  webhook: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe("Or a URL that gets a signed request: `https`, or `http` on this machine."),
  secret_env: secretName.optional().describe("The variable of the gate that has the secret by which it is signed."),
  secret_file: z.string().min(1).max(4096).optional().describe("Or the file that has it: an absolute path."),
  ntfy: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe("Or a topic of [ntfy](https://ntfy.sh), as a URL such as `https://ntfy.sh/a-long-secret-name`."),
  token_env: secretName.optional().describe("The variable that has the access token of the topic, if it needs one."),
  token_file: z.string().min(1).max(4096).optional().describe("Or the file that has it: an absolute path."),
  devices: z
    .literal(true)
    .optional()
    .describe(
      "Or `true`: how the [paired devices](devices.md) are told on which the person switched notices on. Without such an entry they are told as the defaults below say.",
    ),
  push_services: list(z.string().max(300))
    .optional()
    .describe(
      "Push services that are not at a public address, as `host:port`. A device that names another such address is refused.",
    ),
  name: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .describe("What replies to agents call it, such as `my phone`. Not written: its kind alone."),
  after_s: z
    .int()
    .min(0)
    .max(configBounds.notifyAfterMaxS)
    .default(10)
    .describe("Seconds that a question waits first, so that nobody is called who is answering."),
  every_s: z
    .int()
    .min(0)
    .max(configBounds.notifyEveryMaxS)
    .default(60)
    .describe("The shortest time between two notices. Questions that come in between are told together."),
  quiet: list(z.string().max(20))
    .default([])
    .describe(
      'Hours without a notice, by the clock of this machine: `["22:00-07:00"]`. What waits then is told after.',
    ),
  at_least: z.enum(["low", "medium", "high"]).default("low").describe("The least risk of a question that is told."),
  content: z
    .boolean()
    .default(false)
    .describe(
      "Whether a notice also has the agent, the session, the project, the tool and one line of what is asked, without secrets that the record would cover. Otherwise it says how many questions wait, of which risk, and where to answer.",
    ),
});

export type WrittenNotify = z.infer<typeof notifySchema>;
