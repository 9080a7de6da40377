// Finds the author of a commit: the person, by their own git settings. A setting that is missing is guessed, as git does, and listed
// in `guessed`.

import { hostname, userInfo } from "node:os";
import type { ConfigEntry } from "./config-file.ts";
import { lastValue } from "./person-config.ts";
import type { Identity } from "./publish/commit.ts";

export interface Author extends Identity {
  /** The settings that are missing, for which the value is a guess. */
  readonly guessed: readonly string[];
  /** The repository's own settings for name and address that were not used. */
  readonly passedOver?: readonly string[];
}

/**
 * Later settings win, separately for name and address. Callers pass the person's settings first, then those of the target
 * repository.
 */
export function authorOf(settings: readonly ConfigEntry[]): Author {
  const [name, email] = ["name", "email"].map((key) => lastValue(settings, "user", key)?.trim() ?? "");
  const user = accountName();
  return {
    name: name || user,
    email: email || `${user}@${hostname()}`,
    guessed: [...(name ? [] : ["user.name"]), ...(email ? [] : ["user.email"])],
  };
}

/** The repository's own settings that name another author. */
export function passedOver(author: Author, own: readonly ConfigEntry[]): string[] {
  return (["name", "email"] as const).flatMap((key) => {
    const value = lastValue(own, "user", key)?.trim() ?? "";
    return value === "" || value === author[key] ? [] : [`user.${key} = ${value}`];
  });
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return "sallyport";
  }
}
