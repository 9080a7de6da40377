// Checks `notify`, and resolves each entry to a channel.
// Invariant: no channel starts a program that an agent may change, and no secret goes over a connection that others can read.

import { nodeHashes } from "../process/node-hashes.ts";
import { programNamed } from "../process/find-on-path.ts";
import { resolvePath } from "../process/real-path.ts";
import type { Channel, ChannelTarget, NoticeTerms, PushTerms, SecretPlace } from "../notify/channel.ts";
import { parseQuietHours } from "../notify/quiet-hours.ts";
import { isAbsolutePath, isWithin } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { ConfigError } from "./config-error.ts";
import type { Environment } from "./environment.ts";
import { fieldName } from "./field-name.ts";
import { expandPath } from "./grant-path.ts";
import type { ConfigPaths } from "./config-paths.ts";
import type { WrittenNotify } from "./notify-schema.ts";
import type { Source } from "./source.ts";

export interface NotifyPlace {
  readonly paths: ConfigPaths;
  readonly environment: Environment;
  /** The directories in which a program is looked for by its name. */
  readonly programPath: readonly string[];
  /** Real paths that an agent may change. */
  readonly writable: readonly string[];
}

export interface ResolvedNotify {
  readonly channels: readonly Channel[];
  readonly push: PushTerms;
  readonly errors: readonly ConfigError[];
  /** Why this process leaves a channel out that another one may have. */
  readonly notes: readonly string[];
}

type Field = keyof WrittenNotify;

/** A failure's message begins with the field, or with a space where it is about the entry. */
const wrong = (field: Field | "", reason: string, hint: string): Result<never> =>
  fail("invalid_args", `${field}: ${reason}`, { hint });

export function resolveNotify(written: readonly WrittenNotify[], source: Source, place: NotifyPlace): ResolvedNotify {
  const channels: Channel[] = [];
  const errors: ConfigError[] = [];
  const notes: string[] = [];
  let push: WrittenPush | null = null;
  for (const [index, entry] of written.entries()) {
    const at = ["notify", index];
    const way = wayOf(entry, fieldName(at), place);
    const same: string | undefined = way.ok ? fieldOfSame(way.value, channels, push) : undefined;
    const result: Result<Way> = same === undefined ? way : wrong("", `the same as ${same}`, "Leave one of them out.");
    if (result.ok) {
      const value: Way = result.value;
      const missing = isPush(value) ? null : missingHere(value, place);
      if (isPush(value)) push = value;
      else if (missing === null) channels.push(value);
      else notes.push(`${fieldName(at)}: ${missing}, so this process does not use it.`);
      continue;
    }
    const { message, hint = "" } = result.failure;
    const [field = "", reason = message] = message.split(/: (.*)/s);
    const where = field === "" || !(field in entry) ? at : [...at, field];
    errors.push(source.errorAt(where, `${fieldName(field === "" ? at : [...at, field])}: ${reason}`, hint));
  }
  return { channels, push: push ?? unwrittenPush, errors, notes };
}

const kinds = ["command", "webhook", "ntfy", "devices"] as const;
const kindName = { command: "a command", webhook: "a webhook", ntfy: "ntfy", devices: "a paired device" } as const;
/** The defaults of the schema, which is not loaded for a configuration without `notify`. */
const unwritten: WrittenNotify = { after_s: 10, every_s: 60, quiet: [], at_least: "low", content: false };
const unwrittenPush: PushTerms = { ...termsOf(unwritten, [], kindName.devices), services: [] };
/** The fields that go with one kind alone. */
const ownFields = {
  secret_env: "webhook",
  secret_file: "webhook",
  token_env: "ntfy",
  token_file: "ntfy",
  push_services: "devices",
} as const satisfies Partial<Record<Field, (typeof kinds)[number]>>;

type WrittenPush = PushTerms & { readonly field: string };
type Way = Channel | WrittenPush;

function isPush(way: Way): way is WrittenPush {
  return "services" in way;
}

function fieldOfSame(way: Way, channels: readonly Channel[], push: WrittenPush | null): string | undefined {
  return isPush(way) ? push?.field : channels.find(({ key }) => key === way.key)?.field;
}

function wayOf(entry: WrittenNotify, field: string, place: NotifyPlace): Result<Way> {
  const [kind, other] = kinds.filter((one) => entry[one] !== undefined);
  if (kind === undefined) return wrong("", "it names no way", "Write one of command, webhook, ntfy and devices.");
  if (other !== undefined) return wrong(other, `${kind} is written as well`, "Write two entries, one for each.");
  for (const [name, owner] of Object.entries(ownFields) as [keyof typeof ownFields, string][])
    if (entry[name] !== undefined && owner !== kind)
      return wrong(name, `it belongs to ${owner}, and this is ${kindName[kind]}`, "Leave it out.");
  const quiet = entry.quiet.map((text) => ({ text, hours: parseQuietHours(text) }));
  const odd = quiet.find(({ hours }) => hours === null);
  if (odd !== undefined)
    return wrong("quiet", `${JSON.stringify(odd.text)} are no hours`, 'Write them as "22:00-07:00".');
  const terms = termsOf(
    entry,
    quiet.flatMap(({ hours }) => (hours === null ? [] : [hours])),
    kindName[kind],
  );
  if (kind === "devices") {
    const services = entry.push_services ?? [];
    const strange = services.find((text) => URL.parse(`https://${text}`)?.host !== text || !/:\d+$/.test(text));
    if (strange !== undefined)
      return wrong(
        "push_services",
        `${JSON.stringify(strange)} is no host with a port`,
        'Write it as "push.home:8443".',
      );
    return ok(Object.freeze({ ...terms, field, services }));
  }
  const target = targetOf(kind, entry, place);
  if (!target.ok) return target;
  const key = nodeHashes.hex("sha256", JSON.stringify(target.value)).slice(0, 32);
  return ok(Object.freeze({ ...terms, key, field, target: target.value }));
}

function termsOf(
  { name, after_s, every_s, at_least, content }: WrittenNotify,
  quiet: NoticeTerms["quiet"],
  kindOfIt: string,
): NoticeTerms {
  return {
    name: name ?? kindOfIt,
    afterMs: after_s * 1_000,
    everyMs: every_s * 1_000,
    quiet,
    atLeast: at_least,
    content,
  };
}

type ChannelKind = ChannelTarget["kind"];

function targetOf(kind: ChannelKind, entry: WrittenNotify, place: NotifyPlace): Result<ChannelTarget> {
  if (kind === "command") return commandTarget(entry.command ?? [], place);
  const url = parseUrl(kind, entry[kind] ?? "");
  if (!url.ok) return url;
  const secret = placeOf(entry, kind === "webhook" ? "secret" : "token", place);
  if (!secret.ok) return secret;
  if (kind === "ntfy") {
    const { pathname, search } = url.value;
    if (!/^\/.*[^/]$/.test(pathname) || search !== "")
      return wrong("ntfy", "this names no topic", "Write it as https://ntfy.sh/TOPIC.");
    return ok({ kind, url: url.value.href, token: secret.value });
  }
  if (secret.value === null)
    return wrong(
      "",
      "a webhook needs a secret, by which its receiver knows that the gate sent it",
      "Add secret_env: NAME, or secret_file: FILE.",
    );
  return ok({ kind, url: url.value.href, secret: secret.value });
}

function commandTarget([program = "", ...words]: readonly string[], place: NotifyPlace): Result<ChannelTarget> {
  const { paths, programPath, writable } = place;
  if (program === "")
    return wrong("command", "it is empty", "Write a program and its words: [notify-send, Sallyport].");
  if ([program, ...words].some((word) => word.includes("\0")))
    return wrong("command", "a word has a NUL character", "No program can be given one.");
  const isName = !program.includes("/");
  const expanded = isName ? { path: programNamed(program, programPath) ?? program } : expandPath(program, paths);
  if ("reason" in expanded)
    return wrong("command", expanded.reason, "Write a name that is on your PATH, or an absolute path.");
  // SECURITY(T69): what an agent may change would run outside the box, as the person. A script is among the words.
  for (const word of [expanded.path, ...words]) {
    const real = isAbsolutePath(word) ? resolvePath(word).real : null;
    const root = real === null ? undefined : writable.find((one) => isWithin(real, one));
    if (root !== undefined)
      return wrong("command", `an agent may change ${word}, which is in ${root}`, "Name a program in another place.");
  }
  return ok({ kind: "command", argv: [expanded.path, ...words] });
}

function parseUrl(field: "webhook" | "ntfy", text: string): Result<URL> {
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol))
    return wrong(field, `${JSON.stringify(text)} is not the URL of a server`, "Begin it with https://.");
  // SECURITY(T68): others on the way would read the notice.
  if (url.protocol === "http:" && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname))
    return wrong(field, "http would show the notice to others", "Use https; http only for a server on this machine.");
  if (url.username !== "" || url.password !== "" || url.hash !== "")
    return wrong(
      field,
      "it has a user, a password or a fragment",
      `A secret stands in ${field === "webhook" ? "secret_env" : "token_env"}.`,
    );
  return ok(url);
}

function placeOf(entry: WrittenNotify, field: "secret" | "token", { paths }: NotifyPlace): Result<SecretPlace | null> {
  const name = entry[`${field}_env`];
  const file = entry[`${field}_file`];
  if (name !== undefined && file !== undefined)
    return wrong(`${field}_file`, `${field}_env is written as well`, "Write one of them.");
  if (name !== undefined) return ok({ kind: "env", name });
  if (file === undefined) return ok(null);
  const expanded = expandPath(file, paths);
  if ("reason" in expanded) return wrong(`${field}_file`, expanded.reason, expanded.hint);
  return ok({ kind: "file", path: expanded.path });
}

/** What depends on how this process was started, and is no error of the file. */
function missingHere({ target }: Channel, { environment }: NotifyPlace): string | null {
  if (target.kind === "command")
    return isAbsolutePath(target.argv[0]) ? null : `the program ${target.argv[0]} is not on the PATH here`;
  const place = target.kind === "webhook" ? target.secret : target.token;
  if (place?.kind !== "env" || (environment[place.name] ?? "").trim() !== "") return null;
  return `the variable ${place.name} is not set here`;
}
