// Who commits: the person, by what they have written themselves. What nobody has written is guessed, as git does, and said to be.

import { hostname, userInfo } from "node:os";
import type { ConfigEntry } from "./config-file.ts";
import { lastValue } from "./person-config.ts";
import type { Identity } from "./publish/commit.ts";

export interface Author extends Identity {
  /** The settings that nobody has written. */
  readonly guessed: readonly string[];
  /** What the repository itself says of them, and was not taken. */
  readonly passedOver?: readonly string[];
}

/** The later settings win, name and address each alone: the person's first, then those of the repository it goes to. */
export function authorOf(settings: readonly ConfigEntry[]): Author {
  const [name, email] = ["name", "email"].map((key) => lastValue(settings, "user", key)?.trim() ?? "");
  const user = accountName();
  return {
    name: name || user,
    email: email || `${user}@${hostname()}`,
    guessed: [...(name ? [] : ["user.name"]), ...(email ? [] : ["user.email"])],
  };
}

/** What of a repository's own settings would have been another author. */
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
