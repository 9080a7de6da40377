// What the service worker keeps for the gate's worker: secrets, in the browser's memory as long as it runs, and a note of what is stored.

import { fieldsOf } from "../../src/shared/json.ts";
import type { SecretName, ServiceRequest, StoredNote } from "./messages.ts";

export interface Secrets {
  read(name: SecretName): Promise<string | null>;
  keep(name: SecretName, value: string | null): Promise<void>;
}

export interface StoredNotes {
  /** Null: nothing was stored yet. */
  read(): Promise<StoredNote | null>;
  keep(note: StoredNote): Promise<void>;
}

export function serviceThrough(port: MessagePort): { readonly secrets: Secrets; readonly notes: StoredNotes } {
  const ask = (request: ServiceRequest): Promise<unknown> =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => {
        port1.close();
        resolve(data);
      };
      port.postMessage(request, [port2]);
    });
  return {
    secrets: {
      async read(name) {
        const value = await ask({ kind: "secret", name });
        return typeof value === "string" && value !== "" ? value : null;
      },
      async keep(name, value) {
        await ask({ kind: "keep-secret", name, value });
      },
    },
    notes: {
      async read() {
        const note = await ask({ kind: "stored-note" });
        if (typeof note !== "object" || note === null) return null;
        const { repository, branch } = fieldsOf(fieldsOf(note)["draft"]);
        const hasDraft = typeof repository === "string" && typeof branch === "string";
        return { draft: hasDraft ? { repository, branch } : null };
      },
      async keep(note) {
        await ask({ kind: "keep-stored-note", note });
      },
    },
  };
}
