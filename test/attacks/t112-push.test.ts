// T112: a paired device says where its notices go. It cannot send the gate anywhere else than to a push service, gets nothing once it
// was revoked, and the push service reads nothing. Each attack is also tried where it works.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Question } from "../../src/index.ts";
import type { PushTerms } from "../../src/notify/channel.ts";
import { pushPublicKey } from "../../src/notify/push-notice.ts";
import { createPushNotifier } from "../../src/runtime/push-notifier.ts";
import { loadPushKey } from "../../src/store/push-key.ts";
import type { PushView } from "../../src/web/api-devices.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { onOuterPort, outerNames, type PairedBrowser, pairBrowser } from "../fixtures/outer-page.ts";
import { openPage, type TestPage } from "../fixtures/page.ts";
import {
  newPushReceiver,
  type PushService,
  readPush,
  startPushService,
  subscribeBody,
} from "../fixtures/push-service.ts";
import { pushQuestion, waitsIn } from "../fixtures/push-question.ts";
import { until } from "../fixtures/run.ts";

interface Scene {
  readonly page: TestPage;
  readonly service: PushService;
  readonly endpoint: string;
  readonly device: (may?: "all" | "see") => Promise<PairedBrowser>;
  /** A question that nobody was told of. */
  readonly ask: (title: string) => Promise<Question>;
  readonly toldOf: (question: Question) => Promise<readonly (string | null)[]>;
}

/** `isWritten`: the person has written the push service of this test, which is on loopback, into the configuration. */
async function newScene(t: TestContext, more: Partial<PushTerms> = {}, isWritten = true): Promise<Scene> {
  const service = await startPushService(t);
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, readFileSync(service.ca, "utf8")]);
  t.after(() => setDefaultCACertificates(before));
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  t.after(() => gate.close());
  const key = loadPushKey(directories.state);
  const terms: PushTerms = {
    name: "a paired device",
    afterMs: 0,
    everyMs: 0,
    quiet: [],
    atLeast: "low",
    content: false,
    services: isWritten ? [service.host] : [],
    ...more,
  };
  let at = () => 0;
  const push = { publicKey: pushPublicKey(key), terms };
  const page = openPage(t, gate, { outer: { names: outerNames, port: () => at() }, push });
  const outer = await onOuterPort(t, (port) => {
    at = port;
    return page.outerApp;
  });
  const { devices, store } = page.context;
  const notifier = createPushNotifier({ devices, terms, key, contact: () => outer.origin, queue: () => store.queue });
  notifier.start();
  t.after(() => notifier.close());
  let count = 0;
  return {
    page,
    service,
    endpoint: `https://${service.host}/of-the-device`,
    device: (may = "all") => pairBrowser(page, outer, may),
    async ask(title) {
      count += 1;
      const made = pushQuestion([[`${title}.ts`, "1\n", "2\n"]], { branch: "main", isProtected: true });
      const action = { ...made.action, digest: `${count}`.repeat(64) };
      const question: Question = { ...made, id: `q-0000000${count}`, action };
      await waitsIn(directories.state, question);
      return question;
    },
    toldOf: async ({ id }) => (await store.queue.notices.sentFor(id)).map(({ problem }) => problem),
  };
}

const refusedEndpoints = [
  "http://push.example.net/1",
  "http://127.0.0.1/1",
  "https://127.0.0.1/1",
  "https://127.1/1",
  "https://0x7f000001/1",
  "https://2130706433:8443/1",
  "https://localhost:8443/1",
  "https://0.0.0.0/1",
  "https://10.1.2.3/1",
  "https://192.168.1.1/1",
  "https://169.254.169.254/latest/meta-data",
  "https://100.64.0.1/1",
  "https://[::1]/1",
  "https://[fe80::1]/1",
  "https://[fd00::1]/1",
  "https://[::ffff:127.0.0.1]/1",
  "https://[64:ff9b::7f00:1]/1",
  "https://user:secret@push.example.net/1",
  "file:///etc/passwd",
  "nothing",
];

test("a device names no endpoint on this machine or its network, and none without TLS", async (t) => {
  const { page, device, endpoint, service } = await newScene(t, {}, false);
  const { ask, id } = await device();
  for (const one of [...refusedEndpoints, endpoint]) {
    const { status, body } = await ask("POST", "/api/push", subscribeBody(newPushReceiver(one).subscriber));
    assert.equal(status, 400, `${one}: ${body}`);
    assert.match(body, /endpoint: no notices are sent there/);
  }
  assert.deepEqual(page.context.devices.subscribed(), []);
  const fine = subscribeBody(newPushReceiver("https://push.example.net/1").subscriber);
  assert.equal((await ask("POST", "/api/push", fine)).status, 200, "the control: a public one is kept");
  assert.deepEqual(
    page.context.devices.subscribed().map((one) => one.id),
    [id],
  );
  assert.equal(service.arrived.length, 0);
});

test("an endpoint that leads to this machine all the same gets no request", async (t) => {
  const { page, device, endpoint, ask, toldOf, service } = await newScene(t, {}, false);
  const { id } = await device();
  // As if the name had led to a public address when the device wrote it.
  page.context.devices.subscribe(id, newPushReceiver(endpoint).subscriber);
  const question = await ask("a");
  await until("it was tried", async () => (await toldOf(question)).length === 1);
  assert.deepEqual(await toldOf(question), ["its push service is not at a public address"]);
  assert.equal(service.arrived.length, 0);
});

test("the control: where the person wrote that push service, the same endpoint gets the notice", async (t) => {
  const { device, endpoint, ask, toldOf, service } = await newScene(t);
  const phone = await device();
  const { subscriber, keys } = newPushReceiver(endpoint);
  assert.equal((await phone.ask("POST", "/api/push", subscribeBody(subscriber))).status, 200);
  const question = await ask("secret-plan");
  await until("it is told", async () => (await toldOf(question)).length === 1);
  assert.deepEqual(await toldOf(question), [null]);
  const [arrived] = service.arrived;
  assert.ok(arrived);
  assert.deepEqual(
    [arrived.path, arrived.headers["content-encoding"], arrived.headers["urgency"]],
    ["/of-the-device", "aes128gcm", "high"],
  );
  const sent = `${JSON.stringify(arrived.headers)} ${arrived.body.toString("latin1")}`;
  assert.doesNotMatch(sent, /secret-plan|question|risk/, "the push service reads nothing of it");
  assert.throws(() => readPush(arrived.body, newPushReceiver(endpoint).keys), /unable to authenticate/);
  const read = JSON.parse(readPush(arrived.body, keys)) as unknown;
  assert.deepEqual(read, { title: "A question waits", text: "high risk", question: question.id });
});

test("with `content` the device reads what is asked, and the push service still nothing", async (t) => {
  const { device, endpoint, ask, toldOf, service } = await newScene(t, { content: true });
  const phone = await device();
  const { subscriber, keys } = newPushReceiver(endpoint);
  await phone.ask("POST", "/api/push", subscribeBody(subscriber));
  const question = await ask("secret-plan");
  await until("it is told", async () => (await toldOf(question)).length === 1);
  const body = service.arrived[0]?.body ?? Buffer.alloc(0);
  const { text } = JSON.parse(readPush(body, keys)) as { text: string };
  assert.match(text, new RegExp(question.action.agent));
  assert.doesNotMatch(body.toString("latin1"), new RegExp(question.action.agent));
});

test("a device that was revoked gets nothing more, and its endpoint is not kept; another one still does", async (t) => {
  const { page, device, endpoint, ask, toldOf, service } = await newScene(t);
  const [lost, kept] = [await device(), await device("see")];
  for (const [phone, at] of [
    [lost, `${endpoint}/lost`],
    [kept, `${endpoint}/kept`],
  ] as const)
    assert.equal((await phone.ask("POST", "/api/push", subscribeBody(newPushReceiver(at).subscriber))).status, 200);
  const first = await ask("a");
  await until("both are told", async () => (await toldOf(first)).length === 2);
  const paths = () => service.arrived.map(({ path }) => path.split("/").at(-1) ?? "").toSorted();
  assert.deepEqual(paths(), ["kept", "lost"], "the control, and a device that only looks is told");
  assert.equal((await page.ask("DELETE", `/api/devices/${lost.id}`)).status, 204);
  const second = await ask("b");
  await until("the other one is told", async () => (await toldOf(second)).length === 1);
  assert.deepEqual(paths(), ["kept", "kept", "lost"]);
  assert.deepEqual(
    page.context.devices.subscribed().map(({ id }) => id),
    [kept.id],
  );
});

test("a device changes its own subscription alone, and has one", async (t) => {
  const { page, device, endpoint } = await newScene(t);
  const [one, other] = [await device(), await device("see")];
  const view = async ({ ask }: PairedBrowser) => JSON.parse((await ask("GET", "/api/push")).body) as PushView;
  for (const path of ["1", "2"])
    await one.ask("POST", "/api/push", subscribeBody(newPushReceiver(`${endpoint}/${path}`).subscriber));
  assert.deepEqual([(await view(one)).endpoint, (await view(other)).endpoint], [`${endpoint}/2`, null]);
  assert.equal(page.context.devices.subscribed().length, 1);
  assert.equal((await other.ask("DELETE", "/api/push")).status, 204);
  assert.equal((await view(one)).endpoint, `${endpoint}/2`, "another device's request ends nothing of it");
  // The same browser, paired anew.
  await other.ask("POST", "/api/push", subscribeBody(newPushReceiver(`${endpoint}/2`).subscriber));
  assert.deepEqual([(await view(one)).endpoint, (await view(other)).endpoint], [null, `${endpoint}/2`]);
  assert.equal((await other.ask("DELETE", "/api/push")).status, 204);
  assert.deepEqual(page.context.devices.subscribed(), []);
  assert.equal((await page.ask("POST", "/api/push", {})).status, 403, "a page that entered by a link is no device");
});

for (const status of [404, 410])
  test(`a subscription that ended (${status}) is removed; a push service that fails is asked again`, async (t) => {
    const { page, device, endpoint, ask, toldOf, service } = await newScene(t);
    const phone = await device();
    const { subscriber } = newPushReceiver(endpoint);
    await phone.ask("POST", "/api/push", subscribeBody(subscriber));
    service.statuses.push(503, status);
    const question = await ask("a");
    await until("it is given up", async () => (await toldOf(question)).length === 1);
    assert.deepEqual(await toldOf(question), [`it answered with status ${status}`]);
    assert.equal(service.arrived.length, 2);
    assert.deepEqual(page.context.devices.subscribed(), []);
  });

test("a redirect is not followed", async (t) => {
  const { device, endpoint, ask, toldOf, service } = await newScene(t);
  const phone = await device();
  await phone.ask("POST", "/api/push", subscribeBody(newPushReceiver(endpoint).subscriber));
  service.statuses.push(307);
  const question = await ask("a");
  await until("it is given up", async () => (await toldOf(question)).length === 1);
  assert.deepEqual(await toldOf(question), ["it answered with status 307"]);
  assert.deepEqual(
    service.arrived.map(({ path }) => path),
    ["/of-the-device"],
  );
});

test("the key of the server is its person's alone, and stays the same", (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const { state } = directories;
  const key = loadPushKey(state);
  assert.equal(statSync(join(state, "push-key.pem")).mode & 0o777, 0o600);
  assert.equal(pushPublicKey(loadPushKey(state)), pushPublicKey(key));
  const other = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
  assert.notEqual(pushPublicKey(other), pushPublicKey(key), "the control");
});
