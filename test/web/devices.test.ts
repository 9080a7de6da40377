// Pairing a device, what its token opens, and what does not open it. Each refusal stands beside the request that passes.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Allowance } from "../../src/store/device-kind.ts";
import { Devices } from "../../src/store/devices.ts";
import type { DevicesView, PairAsked, PairingCode, PairOutcome } from "../../src/web/api-devices.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { type Headers, openPage, origin, send, type TestPage } from "../fixtures/page.ts";

const extension = `chrome-extension://${"a".repeat(32)}`;
const other = `chrome-extension://${"b".repeat(32)}`;
/** As Chromium sends it for an extension that may reach the host: measured. */
const fromExtension: Headers = { origin: extension, "sec-fetch-site": "none" };

interface Pairing extends TestPage {
  readonly clock: { ms: number };
  newCode(): Promise<string>;
  devices(): Promise<DevicesView>;
  /** As the extension does; more headers replace its own. */
  claim(code: string, headers?: Headers): Promise<Response>;
  pickUp(claim: string): Promise<PairOutcome>;
  pair(may?: Allowance): Promise<{ id: string; token: string }>;
  recorded(): readonly (readonly [event: string, outcome: unknown])[];
}

function newPage(t: TestContext): Pairing {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  t.after(() => gate.close());
  const clock = { ms: Date.now() };
  const page = openPage(t, gate, { clock: { now: () => clock.ms, monotonic: () => clock.ms } });
  const newCode = async () => (await page.post<PairingCode>("/api/devices/code", {})).code;
  const devices = () => page.get<DevicesView>("/api/devices");
  const claim = (code: string, headers: Headers = {}) =>
    send(page, "POST", "/api/pair", { code, name: "Side panel", kind: "extension" }, { ...fromExtension, ...headers });
  const pickUp = async (secret: string) =>
    (await (await send(page, "POST", "/api/pair/claim", { claim: secret }, fromExtension)).json()) as PairOutcome;
  return {
    ...page,
    clock,
    newCode,
    devices,
    claim,
    pickUp,
    async pair(may = "all") {
      const asked = (await (await claim(await newCode())).json()) as PairAsked;
      const { pairing } = await devices();
      assert.equal(pairing?.state, "asks");
      assert.equal(pairing.check, asked.check, "the same number on both");
      await page.post("/api/devices/answer", { id: pairing.id, decision: "allow", may });
      const outcome = await pickUp(asked.claim);
      assert.equal(outcome.state, "paired");
      return outcome;
    },
    recorded: () =>
      [...page.context.journal.entries()]
        .filter(({ event }) => event.startsWith("device."))
        .map(({ event, outcome }) => [event, outcome] as const),
  };
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** What the side panel asks: a GET without an origin, and a POST with its own. */
const asDevice = (
  page: TestPage,
  token: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  headers: Headers = {},
) =>
  send(page, method, path, method === "POST" ? {} : undefined, {
    ...bearer(token),
    "sec-fetch-site": "none",
    ...(method === "GET" ? {} : { origin: extension }),
    ...headers,
  });

test("a device is let in by a code and a person's yes, and then may what the page may", async (t) => {
  const page = newPage(t);
  const code = await page.newCode();
  assert.match(code, /^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/);
  const asked = (await (await page.claim(` ${code.replace("-", "").toLowerCase()} `)).json()) as PairAsked;
  assert.match(asked.check, /^\d{4}$/);
  assert.deepEqual(await page.pickUp(asked.claim), { state: "asks" }, "nobody has confirmed it");
  const { pairing, devices, own } = await page.devices();
  assert.ok(pairing?.state === "asks");
  assert.deepEqual([pairing.name, pairing.check, devices, own], ["Side panel", asked.check, [], null]);
  await page.refused(400, "POST", "/api/devices/answer", { id: pairing.id, decision: "allow" });
  await page.post("/api/devices/answer", { id: pairing.id, decision: "allow", may: "all" });
  const outcome = await page.pickUp(asked.claim);
  assert.ok(outcome.state === "paired");
  assert.match(outcome.token, /^[\w-]{43}$/, "256 bits");
  assert.equal((await page.pickUp(asked.claim)).state, "ended", "the token is given once");
  assert.equal((await asDevice(page, outcome.token, "GET", "/api/queue")).status, 200);
  const seen = (await (await asDevice(page, outcome.token, "GET", "/api/devices")).json()) as DevicesView;
  assert.deepEqual(
    [seen.own, seen.devices.map(({ id, name, origin: from }) => [id, name, from])],
    [outcome.id, [[outcome.id, "Side panel", extension]]],
  );
  const answered = await asDevice(page, outcome.token, "POST", "/api/questions/q-1/answer");
  assert.equal(answered.status, 400, "it comes as far as the body of an answer");
  const paired = {
    device: outcome.id,
    name: "Side panel",
    kind: "extension",
    allowance: "all",
    origin: extension,
    address: null,
  };
  assert.deepEqual(page.recorded(), [["device.paired", { ...paired, who: "ann at the web page" }]]);
});

test("the store keeps hashes alone, and a device is known after a restart", async (t) => {
  const page = newPage(t);
  const { token, id } = await page.pair();
  const again = new Devices(page.context.backend.config.stateDirectory);
  t.after(() => again.close());
  assert.equal(again.withToken(token)?.id, id);
  assert.equal(again.withToken(token.toLowerCase()), undefined);
  assert.doesNotMatch(JSON.stringify(again.list()), new RegExp(token));
});

test("a code: once, five tries, two minutes, the newest alone", async (t) => {
  const page = newPage(t);
  const used = await page.newCode();
  assert.equal((await page.claim(used)).status, 200, "the control");
  assert.equal((await page.claim(used)).status, 401, "used");

  const guessed = await page.newCode();
  for (let tries = 0; tries < 5; tries += 1) assert.equal((await page.claim("2222-2222")).status, 401);
  assert.equal((await page.claim(guessed)).status, 401, "after five wrong ones the right one is wrong, too");
  assert.deepEqual((await page.devices()).pairing, { state: "ended", why: "five wrong codes" });
  const fourth = await page.newCode();
  for (let tries = 0; tries < 4; tries += 1) await page.claim("2222-2222");
  assert.equal((await page.claim(fourth)).status, 200, "the control: after four it is right");

  const late = await page.newCode();
  page.clock.ms += 120_000;
  assert.equal((await page.claim(late)).status, 401, "too old");
  const inTime = await page.newCode();
  page.clock.ms += 119_999;
  assert.equal((await page.claim(inTime)).status, 200, "the control");

  const [older, newer] = [await page.newCode(), await page.newCode()];
  assert.equal((await page.claim(older)).status, 401, "an older one ends");
  assert.equal((await page.claim(newer)).status, 200, "the control");
  assert.equal((await page.claim("")).status, 401);
});

test("without a person's yes there is no token: no answer, a no, too late, another's claim", async (t) => {
  const page = newPage(t);
  const ask = async () => (await (await page.claim(await page.newCode())).json()) as PairAsked;
  const late = await ask();
  page.clock.ms += 120_000;
  assert.deepEqual(await page.pickUp(late.claim), { state: "ended", why: "two minutes have passed" });

  const refused = await ask();
  const { pairing } = await page.devices();
  assert.ok(pairing?.state === "asks");
  assert.equal((await page.pickUp("x".repeat(43))).state, "ended", "another's claim");
  await page.post("/api/devices/answer", { id: pairing.id, decision: "deny" });
  assert.deepEqual(await page.pickUp(refused.claim), { state: "ended", why: "ann at the web page said no" });
  await page.refused(409, "POST", "/api/devices/answer", { id: pairing.id, decision: "allow", may: "all" });
  assert.equal((await page.pickUp(refused.claim)).state, "ended", "a later yes does not count");
  for (let tries = 0; tries < 5; tries += 1) await page.claim(tries === 0 ? await page.newCode() : "WRONG");
  assert.deepEqual((await page.devices()).devices, []);
  assert.deepEqual(
    page.recorded().map(([event, outcome]) => [event, (outcome as { why: string }).why]),
    [
      ["device.refused", "two minutes have passed"],
      ["device.refused", "ann at the web page said no"],
    ],
  );
});

test("a revoked device gets nothing more, and its open stream ends", async (t) => {
  const page = newPage(t);
  const { id, token } = await page.pair();
  const stream = await asDevice(page, token, "GET", "/api/events");
  const reader = stream.body?.getReader();
  assert.ok(reader);
  assert.equal((await reader.read()).done, false, "the control: it reads");
  assert.equal((await page.ask("DELETE", `/api/devices/${id}`)).status, 204);
  for (;;) if ((await reader.read()).done) break;
  assert.equal((await asDevice(page, token, "GET", "/api/queue")).status, 401);
  assert.equal((await asDevice(page, token, "POST", "/api/questions/q-1/answer")).status, 403);
  assert.equal((await page.ask("DELETE", `/api/devices/${id}`)).status, 404);
  assert.deepEqual(page.recorded().at(-1), [
    "device.revoked",
    { device: id, name: "Side panel", kind: "extension", who: "ann at the web page" },
  ]);
});

test("a device can revoke itself, and let nobody in", async (t) => {
  const page = newPage(t);
  const { id: first } = await page.pair();
  const { id, token } = await page.pair();
  for (const path of ["/api/devices/code", "/api/devices/answer"])
    assert.equal((await asDevice(page, token, "POST", path)).status, 403, path);
  assert.equal((await asDevice(page, token, "DELETE", `/api/devices/${first}`)).status, 403, "another device");
  assert.equal((await page.devices()).devices.length, 2);
  assert.equal((await asDevice(page, token, "DELETE", `/api/devices/${id}`)).status, 204, "itself");
  assert.match(JSON.stringify(page.recorded().at(-1)), /ann at the paired device Side panel \(d-/);
});

test("an origin lets nobody in, and a token only from its own", async (t) => {
  const page = newPage(t);
  const { token } = await page.pair();
  const path = "/api/questions/q-1/answer";
  assert.equal((await asDevice(page, token, "POST", path)).status, 400, "the control: it comes as far as the body");
  const refused: readonly (readonly [what: string, headers: Headers])[] = [
    ["the extension's origin, and no token", { authorization: null }],
    ["a wrong token", bearer("A".repeat(43))],
    ["another extension with the token", { origin: other }],
    ["a web page with the token", { origin: "http://evil.example" }],
    ["a web page, as the browser says it", { origin: "http://evil.example", "sec-fetch-site": "cross-site" }],
    ["an extension that may not reach the host", { "sec-fetch-site": "cross-site" }],
    ["another host", { host: "evil.example:7117" }],
    ["no origin", { origin: null }],
    ["something like an origin", { origin: `${extension}.evil.example` }],
    ["another kind of origin", { origin: "moz-extension://00000000-0000-0000-0000-000000000000" }],
    ["no origin of a page", { origin: "null" }],
  ];
  for (const [what, headers] of refused)
    assert.equal((await asDevice(page, token, "POST", path, headers)).status, 403, what);
  assert.equal((await asDevice(page, token, "POST", path, { origin })).status, 401, "the page's origin with the token");
  const link = page.newLink();
  const enter = { ...fromExtension, ...bearer(token) };
  assert.equal((await send(page, "POST", "/api/enter", { token: link }, enter)).status, 403, "it opens no link");
  assert.equal((await send(page, "POST", "/api/enter", { token: link })).status, 200, "the control: the link works");
  assert.equal((await page.ask("POST", path, {}, fromExtension)).status, 403, "a page's token from an extension");
  assert.equal((await page.ask("POST", path, {})).status, 400, "the control");
});

test("only a device of our kind may begin to pair, and by the same checks", async (t) => {
  const page = newPage(t);
  const code = await page.newCode();
  const refused: readonly (readonly [status: number, headers: Headers])[] = [
    [403, { origin: "http://evil.example", "sec-fetch-site": "cross-site" }],
    [403, { origin: "http://evil.example" }],
    [403, { "sec-fetch-site": "cross-site" }],
    [403, { origin: null }],
    [403, { host: "evil.example:7117" }],
    [415, { "content-type": "text/plain" }],
  ];
  for (const [status, headers] of refused) assert.equal((await page.claim(code, headers)).status, status);
  for (const name of ["", "two\nlines", "a\u202eb", "x".repeat(41), "<b>", " x"]) {
    const body = { code, name, kind: "extension" };
    assert.equal((await send(page, "POST", "/api/pair", body, fromExtension)).status, 400, name);
  }
  assert.equal((await page.claim(code)).status, 200, "the control: none of these was a try");
});

test("mounted routes are not for devices", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  t.after(() => gate.close());
  const page = openPage(t, gate, { mount: (app) => void app.all("/mcp", (c) => c.text("other")) });
  assert.equal((await send(page, "POST", "/mcp", "{}", { origin: null })).status, 200, "the control");
  assert.equal((await send(page, "POST", "/mcp", "{}", fromExtension)).status, 403);
});
