// A line of the record for each request with the person's credential: what a program has done with the right to spend it.
// Invariant: it has neither the query, a header nor a body. A gate that is killed has written all requests that were answered.

import { safeJson } from "../audit/entry.ts";
import type { CredentialRequest } from "../network/open/counted-request.ts";
import type { CallRecord } from "./call-record.ts";
import { EntryBound } from "./entry-bound.ts";
import { foundHostText } from "./found-host.ts";

/** Of a path. A program chooses what is in it. */
const PATH_LENGTH = 300;

export interface RequestLines {
  add(request: CredentialRequest): void;
  /** Throws what `add` could not write. */
  check(): void;
  /** The same, once what was left out is counted. */
  close(): void;
}

/** `onFault`: a line could not be written, and none is written any more. Nobody above `add` could catch the fault. */
export function openRequestLines(record: CallRecord, onFault: () => void): RequestLines {
  const bound = new EntryBound();
  let fault: { readonly error: unknown } | null = null;
  let isClosed = false; // a connection that is cut may tell of its end when the call has ended
  function write({ host, port, method, path, status, bytesOut, bytesIn }: CredentialRequest): void {
    if (bound.takes()) {
      const args = { host: foundHostText({ host, port }), method, path: path.slice(0, PATH_LENGTH) };
      record.requested(args, { status, bytes_out: bytesOut, bytes_in: bytesIn });
      bound.wrote(safeJson(args).length);
    } else if (bound.dropped === 1) record.requested({ dropped: 1 }, null);
  }

  function check(): void {
    if (fault !== null) throw fault.error;
  }

  return {
    add(request) {
      if (isClosed || fault !== null) return;
      try {
        write(request);
      } catch (error) {
        // SECURITY(T17): this runs in an event of a connection. An error that leaves it ends the gate, with all its sessions.
        fault = { error };
        onFault();
      }
    },
    check,
    close() {
      isClosed = true;
      check();
      const { dropped } = bound;
      if (dropped > 1) record.requested({ dropped }, null);
    },
  };
}
