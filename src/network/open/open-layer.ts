// Connections that the gate opens, for grants with `open: true`: it reads each request, sends those that are allowed to the host over
// TLS of its own, and puts in the credential that the program does not have.
// Invariant: the host's certificate is verified as a program would do it, and a credential goes nowhere but into requests for its host.

import { Agent, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect, rootCertificates, TLSSocket } from "node:tls";
import { callbackify } from "node:util";
import { credentialForms, withoutCredentials } from "../../audit/credential-echo.ts";
import type { HostCredential, OpenHost } from "../../policy/open-host.ts";
import type { Allowed, Connections, OpenLayer } from "../connections.ts";
import { countedStream } from "../counted-stream.ts";
import { passedHeaders } from "../http-headers.ts";
import { PiecewiseReader } from "../piecewise.ts";
import { type ChangedAnswer, refuseRequest, sendOn } from "../send-on.ts";
import { resetSocket } from "../reset.ts";
import { Silence } from "../silence.ts";
import type { Authority } from "./authority.ts";
import { type CredentialRequest, countRequest } from "./counted-request.ts";
import { maskBody } from "./mask-body.ts";
import {
  type AddedCredential,
  keptHeaders,
  keptLength,
  type PackageCache,
  packageHeaders,
  packageKey,
  sendKept,
} from "./package-cache.ts";
import { methodHeaders, requestProblem } from "./request-rules.ts";

export interface OpenLayerOptions {
  readonly authority: Authority;
  /** Null: there is none, and the request is refused. */
  readonly secretOf: (credential: HostCredential) => string | null;
  /** Authorities of hosts, as PEM, beside those that node knows. */
  readonly hostAuthorities: readonly string[];
  /** For grants with `cache: true`. */
  readonly packages: PackageCache;
  /** A request that had a credential has ended. */
  readonly requested: (request: CredentialRequest) => void;
}

/** One connection of a program. */
interface Opened {
  readonly allowed: Allowed;
  readonly open: OpenHost;
  readonly isTls: boolean;
  readonly agent: Agent;
  readonly watch: () => Silence;
  /** Until the first request. */
  readonly beginning: Silence;
}

const TLS_HANDSHAKE = 22;

export function createOpenLayer(options: OpenLayerOptions): OpenLayer {
  const opened = new WeakMap<object, Opened>();
  const server = createServer((incoming, response) => {
    const connection = opened.get(incoming.socket);
    if (connection === undefined) return response.destroy() && undefined;
    answer(incoming, response, connection, options).catch(() => response.destroy());
  });
  server.requestTimeout = 0; // an upload may take long, as long as it moves
  server.on("clientError", (_error, socket) => void socket.destroy());
  return {
    async serve(box, allowed, open, connections, first) {
      const watch = (): Silence =>
        new Silence(box, connections.idleMs, (why) => {
          allowed.use.refuse(why);
          resetSocket(box);
        });
      const beginning = watch();
      if (first.length > 0) box.unshift(first);
      const reader = new PiecewiseReader(box);
      const isTls = (await reader.firstByte()) === TLS_HANDSHAKE;
      if (reader.rest.length > 0) box.unshift(reader.rest);
      const agent = new HostAgent(() => reach(box, allowed, connections, isTls, options.hostAuthorities), isTls);
      box.once("close", () => agent.destroy());
      const socket = isTls ? secured(box, allowed.host, options.authority) : box;
      opened.set(socket, { allowed, open, isTls, agent, watch, beginning });
      server.emit("connection", socket);
    },
  };
}

function secured(box: Socket, host: string, authority: Authority): TLSSocket {
  const secureContext = authority.contextFor(host);
  const socket = new TLSSocket(box, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => box.destroy());
  return socket;
}

/** One connection to the host at a time, for one connection of a program. */
class HostAgent extends Agent {
  readonly #reach: () => Promise<Duplex>;

  constructor(reach: () => Promise<Duplex>, isTls: boolean) {
    // Node keeps only what is a socket. Without TLS it is a stream that counts, and each request has a connection of its own.
    super({ keepAlive: isTls, maxSockets: 1 });
    this.#reach = reach;
  }

  override createConnection(_options: unknown, done?: (error: Error | null, stream: Duplex) => void): undefined {
    if (done !== undefined) callbackify(this.#reach)(done);
  }
}

async function reach(
  box: Socket,
  allowed: Allowed,
  connections: Connections,
  isTls: boolean,
  hostAuthorities: readonly string[],
): Promise<Duplex> {
  const host = await connections.connect(allowed, box);
  if (host === null) throw new Error("the host was not reached");
  const stream = countedStream(host, allowed.meter);
  box.once("close", () => stream.destroy());
  if (!isTls) return stream;
  const secure = connect({
    socket: stream,
    servername: allowed.host,
    ALPNProtocols: ["http/1.1"],
    ...(hostAuthorities.length > 0 && { ca: [...rootCertificates, ...hostAuthorities] }),
  });
  return new Promise((resolve, reject) => {
    secure.once("secureConnect", () => resolve(secure));
    secure.once("error", (error) => {
      allowed.use.refuse(`TLS to ${allowed.host} failed: ${error.message}`);
      reject(error);
    });
  });
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { allowed, open, isTls, agent, watch, beginning }: Opened,
  { secretOf, packages, requested }: OpenLayerOptions,
): Promise<void> {
  beginning.end();
  const silence = watch();
  silence.sent();
  response.once("close", () => silence.end()); // node's server ends what is kept alive
  const refuse = (why: string): void => {
    allowed.use.refuse(why);
    refuseRequest(response, 403, `The gate does not allow this request: ${why}.`);
  };
  const { method = "GET", url: path = "" } = incoming;
  const problem =
    hostProblem(incoming, allowed) ?? requestProblem(open, method, path, incoming.headers["content-type"]);
  if (problem !== null) return refuse(problem);
  // SECURITY(T71): a placeholder is still the right to spend.
  if (open.requests !== null && allowed.use.requests >= open.requests)
    return refuse(`the call has sent its ${open.requests} requests`);
  const { credential } = open;
  // SECURITY(T66): a credential is not sent where others can read it.
  if (credential !== null && !isTls) return refuse("a credential is sent over TLS only");
  const added = credential === null ? null : addedBy(credential, secretOf);
  if (credential !== null && added === null) return refuse("its credential is not there");
  // SECURITY(T78): without TLS anybody on the way could have answered.
  const key = open.cache && isTls ? packageKey(incoming, allowed, added) : null;
  const kept = key === null ? null : await packages.find(key);
  if (kept !== null) return sendKept(response, kept, allowed.meter);
  allowed.use.requests += 1;
  const counted = added === null ? null : countRequest(incoming, response, allowed, requested);
  const headers = key === null ? sentHeaders(incoming, open, allowed, added) : packageHeaders(allowed, added);
  sendOn({
    incoming,
    response,
    to: { agent, path },
    headers,
    change(from, back) {
      const passed = added === null ? { headers: back, body: [] } : withoutSecret(from, back, added);
      const counting = counted?.answered(from.statusCode ?? null) ?? null;
      const changed = passed === null || counting === null ? passed : { ...passed, body: [...passed.body, counting] };
      const length = key === null ? null : keptLength(path, from);
      if (changed === null || key === null || length === null) return changed;
      const keeping = packages.keeping(key, keptHeaders(changed.headers), length);
      return { headers: changed.headers, body: [...changed.body, keeping] };
    },
  });
}

function addedBy(credential: HostCredential, secretOf: OpenLayerOptions["secretOf"]): AddedCredential | null {
  const { header, scheme } = credential;
  const secret = secretOf(credential);
  return secret === null ? null : { header, value: scheme === "" ? secret : `${scheme} ${secret}`, secret };
}

function sentHeaders(
  { headers, rawHeaders }: IncomingMessage,
  { methods }: OpenHost,
  { host }: Allowed,
  added: AddedCredential | null,
): string[] {
  const without = ["host", ...(methods === null ? [] : methodHeaders)];
  const named = ["Host", headers.host ?? host];
  if (added === null) return [...passedHeaders(rawHeaders, without), ...named];
  const passed = passedHeaders(rawHeaders, [...without, added.header.toLowerCase(), "accept-encoding"]);
  return [...passed, ...named, added.header, added.value, "Accept-Encoding", "identity"];
}

/**
 * SECURITY(T66): another host of the same server would get the credential, and was not judged.
 * SECURITY(T79): it may be somebody else's.
 */
function hostProblem({ headers: { host } }: IncomingMessage, { host: judged, port }: Allowed): string | null {
  const named = host?.toLowerCase().replace(/\.(?=:|$)/, "");
  return named === judged || named === `${judged}:${port}` ? null : "it names another host";
}

/** SECURITY(T66): a server that sends back what it got does not tell the program. Null: the body cannot be read. */
function withoutSecret(
  from: IncomingMessage,
  headers: readonly string[],
  { value, secret }: AddedCredential,
): ChangedAnswer | null {
  if (!/^(?:identity)?$/i.test(from.headers["content-encoding"] ?? "")) return null;
  const secrets = [value, secret];
  return {
    headers: headers.map((text) => withoutCredentials(text, secrets)),
    body: [maskBody(credentialForms(secrets))],
  };
}
