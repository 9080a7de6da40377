// Who commits: the person, by what they have written themselves. Nobody is made up.

import { fail, ok, type Result } from "../shared/result.ts";
import type { ConfigEntry } from "./config-file.ts";
import { lastValue } from "./person-config.ts";
import type { Identity } from "./publish/commit.ts";

/** The later settings win, name and address each alone: the person's first, then those of the repository it goes to. */
export function identityOf(settings: readonly ConfigEntry[]): Result<Identity> {
  const [name, email] = ["name", "email"].map((key) => lastValue(settings, "user", key)?.trim() ?? "");
  if (name !== undefined && name !== "" && email !== undefined && email !== "") return ok({ name, email });
  const missing = [...(name === "" ? ["user.name"] : []), ...(email === "" ? ["user.email"] : [])].join(" and no ");
  return fail("tool_failed", `Nobody has said who commits: the person's git configuration has no ${missing}.`, {
    hint: 'A person sets it: git config --global user.name "…" and user.email "…"; or git.author in the gate\'s own configuration.',
  });
}
