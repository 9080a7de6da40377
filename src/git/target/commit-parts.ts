// Parses a commit's bytes. It knows only the headers that the gate itself writes.

import type { ObjectId } from "../publish/object.ts";

export interface CommitTime {
  readonly timeS: number;
  /** In git's notation: +0130. */
  readonly zone: string;
}

export interface CommitPerson extends CommitTime {
  readonly name: string;
  readonly email: string;
}

export interface CommitParts {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: CommitPerson;
  readonly committer: CommitPerson;
  readonly message: string;
}

/** Null if the bytes are not a commit, or have headers that the gate does not write (a signature, an encoding). */
export function parseCommit(content: Uint8Array): CommitParts | null {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
  const end = text.indexOf("\n\n");
  if (end < 0) return null;
  const lines = text.slice(0, end).split("\n");
  const tree = /^tree ([0-9a-f]+)$/.exec(lines.shift() ?? "")?.[1];
  const parents: ObjectId[] = [];
  for (let line = lines[0]; line !== undefined && line.startsWith("parent "); line = lines[0])
    parents.push((lines.shift() as string).slice("parent ".length));
  const author = parsePerson("author ", lines.shift());
  const committer = parsePerson("committer ", lines.shift());
  if (tree === undefined || author === null || committer === null || lines.length > 0) return null;
  return { tree, parents, author, committer, message: text.slice(end + 2) };
}

function parsePerson(role: string, line = ""): CommitPerson | null {
  const parts = /^(.*) <([^>]*)> (\d+) ([+-]\d{4})$/.exec(line.startsWith(role) ? line.slice(role.length) : "");
  if (parts === null) return null;
  const [, name = "", email = "", timeS = "", zone = ""] = parts;
  return { name, email, timeS: Number(timeS), zone };
}

/** `2026-01-01T01:30:00+01:30` */
export function isoDate({ timeS, zone }: CommitTime): string {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  const local = new Date((timeS + (zone.startsWith("-") ? -minutes : minutes) * 60) * 1_000);
  const time = local.toISOString().slice(0, 19);
  return minutes === 0 ? `${time}Z` : `${time}${zone.slice(0, 3)}:${zone.slice(3)}`;
}
