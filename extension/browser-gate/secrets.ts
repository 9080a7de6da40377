// The secrets of the gate's worker. The service worker keeps them in the browser's memory, as long as it runs.

import type { SecretName, ServiceRequest } from "./messages.ts";

export interface Secrets {
  read(name: SecretName): Promise<string | null>;
  keep(name: SecretName, value: string | null): Promise<void>;
}

export function secretsThrough(port: MessagePort): Secrets {
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
    async read(name) {
      const value = await ask({ kind: "secret", name });
      return typeof value === "string" && value !== "" ? value : null;
    },
    async keep(name, value) {
      await ask({ kind: "keep-secret", name, value });
    },
  };
}
