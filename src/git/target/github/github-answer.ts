// Small pieces of the requests to GitHub's API, and of what it answers.

import { fail, type Result } from "../../../shared/result.ts";
import type { ObjectId } from "../../publish/object.ts";
import { type CommitPerson, isoDate } from "../commit-parts.ts";
import type { GithubAnswer } from "./github-send.ts";

const TOKEN_FORM = /^[\x21-\x7e]{8,512}$/;
/** Requests at a time. GitHub slows down clients that send more. */
const CONCURRENT = 6;

export function isGithubToken(text: string): boolean {
  return TOKEN_FORM.test(text);
}

export function githubPerson({ name, email, timeS, zone }: CommitPerson): object {
  return { name, email, date: isoDate({ timeS, zone }) };
}

export function encodedBranch(branch: string): string {
  return branch.split("/").map(encodeURIComponent).join("/");
}

export function shaOf(value: unknown): ObjectId {
  const id: unknown = typeof value === "object" && value !== null ? (value as { sha?: unknown }).sha : undefined;
  if (typeof id !== "string" || !/^[0-9a-f]{40}$/.test(id)) throw new Error("GitHub answered without an id");
  return id;
}

export function githubMessage({ body }: GithubAnswer): string {
  const message = body["message"];
  return typeof message === "string" ? `: ${message.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 300)}` : "";
}

/** Works on a few items at a time. Stops at the first failure and returns it. */
export async function inTurns<T>(
  items: readonly T[],
  work: (item: T) => Promise<Result<unknown>>,
): Promise<ReturnType<typeof fail> | null> {
  let next = 0;
  let stopped: ReturnType<typeof fail> | null = null;
  const worker = async (): Promise<void> => {
    while (next < items.length && stopped === null) {
      const done = await work(items[next++] as T);
      if (!done.ok) stopped = done;
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENT, items.length) }, worker));
  return stopped;
}
