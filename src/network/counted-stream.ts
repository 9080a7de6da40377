// A connection to a host as a stream, for node's HTTP and TLS: every byte on the wire is counted before it is passed on.

import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { resetSocket } from "./reset.ts";
import type { Meter } from "./traffic.ts";

export function countedStream(host: Socket, meter: Meter): Duplex {
  const stream = new Duplex({
    allowHalfOpen: true,
    write(chunk: Buffer, _encoding, done) {
      if (meter.out(chunk.length)) host.write(chunk, done);
      else done(new Error("the call's limit for bytes is reached"));
    },
    final(done) {
      host.end(done);
    },
    read() {
      host.resume();
    },
    destroy(error, done) {
      resetSocket(host);
      done(error);
    },
  });
  host.on("data", (chunk: Buffer) => {
    if (meter.in(chunk.length) && !stream.push(chunk)) host.pause();
  });
  host.once("end", () => stream.push(null));
  host.once("close", () => stream.destroy());
  host.on("error", (error) => stream.destroy(error));
  return stream;
}
