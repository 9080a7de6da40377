// A process that tells of the questions in a store, as each gate does. It prints a line when it has begun.

import { sendNotice } from "../../src/notify/send-notice.ts";
import { createNotifier } from "../../src/runtime/notifier.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import type { Channel } from "../../src/notify/channel.ts";

interface Order {
  readonly state: string;
  readonly channels: readonly Channel[];
}

const { state, channels } = JSON.parse(process.argv[2] ?? "") as Order;
const store = new LocalStore({ stateDirectory: state, configDirectory: `${state}-config`, home: "/" });
createNotifier({ channels, send: sendNotice, queue: () => store.queue, environment: { SECRET: "s3cret" } }).start();
process.stdout.write("begun\n");
setInterval(() => undefined, 60_000);
