// HTTP on the proxy port: CONNECT, and requests for a whole URL. Each request is judged, also the next one on the same connection.
// A request gets a connection of its own to the host, so that no byte of one can be read as a part of another.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Allowed, Connections } from "./connections.ts";
import { countedStream } from "./counted-stream.ts";
import { parseRemoteHost } from "./host-name.ts";
import { passedHeaders } from "./http-headers.ts";
import { endWith, passOn } from "./pass-on.ts";
import { resetSocket } from "./reset.ts";
import { refuseRequest, sendOn } from "./send-on.ts";
import { Silence } from "./silence.ts";
import type { Traffic } from "./traffic.ts";

export interface HttpProxy {
  serve(box: Socket): void;
  close(): void;
}

interface Destination {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

export function createHttpProxy(connections: Connections, traffic: Traffic): HttpProxy {
  const server = createServer({ requireHostHeader: false }, (incoming, response) => {
    forward(incoming, response, connections).catch(() => response.destroy());
  });
  server.on("connect", (incoming: IncomingMessage, box: Socket, head: Buffer) => {
    tunnel(incoming, box, head, connections, traffic).catch(() => resetSocket(box));
  });
  server.on("clientError", (_error, box) => void box.destroy());
  server.timeout = traffic.limits.idleMs;
  server.requestTimeout = 0; // an upload may take long, as long as it moves
  return {
    serve: (box) => void server.emit("connection", box),
    close: () => void server.close(),
  };
}

async function tunnel(
  incoming: IncomingMessage,
  box: Socket,
  head: Buffer,
  connections: Connections,
  traffic: Traffic,
): Promise<void> {
  const place = parseAuthority(incoming.url ?? "", null);
  const allowed = place === null ? null : await connections.judge(place.host, place.port);
  if (allowed === null) return endWith(box, refusal);
  const wasReached = await passOn(box, allowed, connections, traffic, { answer: established, first: head });
  if (!wasReached) endWith(box, allowed.use.decision === "deny" ? refusal : unreachable);
}

const established = "HTTP/1.1 200 Connection established\r\n\r\n";
const refusal = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const unreachable = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

async function forward(incoming: IncomingMessage, response: ServerResponse, connections: Connections): Promise<void> {
  const place = parseTarget(incoming.url ?? "");
  if (place === null)
    return refuseRequest(response, 400, "This is a proxy: it takes CONNECT, and requests for http:// URLs.");
  const allowed = await connections.judge(place.host, place.port);
  if (allowed?.grant?.open) allowed.use.refuse("a host that the gate opens is reached with CONNECT");
  if (allowed === null || allowed.grant?.open)
    return refuseRequest(response, 403, "The gate does not allow this host.");
  const host = await connections.connect(allowed, incoming.socket);
  if (host !== null) return send(incoming, response, place, host, allowed, connections.idleMs);
  const isDenied = allowed.use.decision === "deny";
  refuseRequest(
    response,
    isDenied ? 403 : 502,
    isDenied ? "The gate does not allow this host." : "The host was not reached.",
  );
}

function send(
  incoming: IncomingMessage,
  response: ServerResponse,
  { host: name, port, path }: Destination,
  host: Socket,
  { meter, use }: Allowed,
  idleMs: number,
): void {
  const stream = countedStream(host, meter);
  const silence = new Silence(incoming.socket, idleMs, (why) => use.refuse(why)); // node's server ends it
  silence.sent();
  const authority = name.includes(":") ? `[${name}]` : name;
  const headers = [
    ...passedHeaders(incoming.rawHeaders, ["host"]),
    "Host",
    port === 80 ? authority : `${authority}:${port}`,
  ];
  sendOn({ incoming, response, to: { createConnection: () => stream, path }, headers });
  response.once("close", () => {
    silence.end();
    stream.destroy();
  });
}

function parseTarget(url: string): Destination | null {
  const found = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(url);
  const place = parseAuthority(found?.[1] ?? "", 80);
  const path = found?.[2] ?? "/";
  return place === null ? null : { ...place, path: path.startsWith("?") ? `/${path}` : path };
}

/** SECURITY(T65): no part of it may be read in two ways: no user, no second colon, no other character than those of hosts. */
function parseAuthority(text: string, usualPort: number | null): Destination | null {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text);
  const host = parseRemoteHost(found?.[1] ?? "");
  const port = found?.[2] === undefined ? usualPort : Number(found[2]);
  return host === null || port === null || port < 1 || port > 65_535 ? null : { host, port, path: "/" };
}
