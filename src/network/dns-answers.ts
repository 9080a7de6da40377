// Answers the DNS queries of a box. Every name has an address of the box's own (names.ts), and nothing else is known about it.
// Invariant: no query leads to a question to anybody else, and no packet makes this fail.

import { decode, encode } from "dns-packet";
import { parseRemoteHost } from "./host-name.ts";
import type { NameMap } from "./names.ts";

const QUERY_BYTES = 512; // a question of 253 characters, and the options that resolvers add
const HEADER_BYTES = 12;
const ANSWER_SECONDS = 60;
const codes = { noError: 0, noSuchName: 3, refused: 5 } as const;
// Bits of the two bytes of flags.
const isResponse = 0x8000;
const recursionAvailable = 0x0080;
const kept = 0x7910; // of a query: its kind, and what it wants of recursion and checks

/** Null: nothing is sent back, because this is no query. */
export function answerQuery(packet: Uint8Array, names: NameMap): Uint8Array | null {
  const query = Buffer.from(packet);
  if (query.length < HEADER_BYTES || (query.readUInt16BE(2) & isResponse) !== 0) return null;
  const question = questionOf(query);
  if (question === null) return withCode(query.subarray(0, HEADER_BYTES), codes.refused);
  // SECURITY(T62): the answer comes from the map alone.
  const name = parseRemoteHost(question.name);
  if (name === null) return withCode(query, codes.noSuchName);
  if (question.type !== "A") return withCode(query, codes.noError);
  const address = names.lookUp(name);
  if (address === null) return withCode(query, codes.noSuchName);
  return encode({
    id: query.readUInt16BE(0),
    type: "response",
    flags: responseFlags(query, codes.noError) & ~isResponse,
    questions: [question],
    answers: [{ type: "A", class: "IN", name: question.name, ttl: ANSWER_SECONDS, data: address }],
  });
}

/** The one question of an ordinary query. */
function questionOf(query: Buffer): { readonly name: string; readonly type: "A"; readonly class: "IN" } | null {
  const isOrdinary =
    query.length <= QUERY_BYTES && (query.readUInt16BE(2) & 0x7800) === 0 && query.readUInt16BE(4) === 1;
  if (!isOrdinary) return null;
  try {
    const question = decode(query).questions?.[0];
    return question?.class === "IN" ? (question as ReturnType<typeof questionOf>) : null;
  } catch {
    return null; // lengths beyond the end, pointers in circles, unknown labels
  }
}

const responseFlags = (query: Buffer, code: number): number =>
  isResponse | recursionAvailable | (query.readUInt16BE(2) & kept) | code;

/** The query itself, as an answer that knows nothing. */
function withCode(query: Buffer, code: number): Uint8Array {
  const answer = Buffer.from(query);
  answer.writeUInt16BE(responseFlags(query, code), 2);
  if (answer.length === HEADER_BYTES) answer.fill(0, 4); // the header alone: no records follow
  return answer;
}
