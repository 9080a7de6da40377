// `sallyport serve` as a person starts it: the link, the port, Enter for a fresh one, Ctrl-C.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { openApprovals } from "../../../src/store/approvals.ts";
import { type Asker, newAsker } from "../../fixtures/asking.ts";
import { noTerminal, type CliUser } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";
import { until } from "../../fixtures/run.ts";

interface Served {
  readonly url: string;
  readonly link: string;
  readonly port: number;
  /** Its exit code, and what it said on standard error. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; err: string }>;
}

async function serve(t: TestContext, person: CliUser): Promise<Served> {
  const child = person.start(["serve", "--port", "0", "--json"]);
  t.after(() => child.kill("SIGKILL"));
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const { value } = (await lines.next()) as { value: string | undefined };
  assert.ok(value !== undefined, err);
  return {
    ...(JSON.parse(value) as Pick<Served, "url" | "link" | "port">),
    async end(signal) {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return { code, err };
    },
  };
}

async function entered({ url, link }: Pick<Served, "url" | "link">): Promise<Record<string, string>> {
  const token = link.slice(link.indexOf("#enter=") + "#enter=".length);
  const headers = { origin: url, "content-type": "application/json" };
  const response = await fetch(`${url}/api/enter`, { method: "POST", headers, body: JSON.stringify({ token }) });
  assert.equal(response.status, 200, await response.clone().text());
  const { page } = (await response.json()) as { page: string };
  return { ...headers, authorization: `Bearer ${page}` };
}

const placesOf = async (asker: Asker) => {
  const approvals = openApprovals(asker.state);
  const { queue } = approvals;
  const found = { places: await queue.pages(), isWatched: await queue.isWatched() };
  approvals.close();
  return found;
};

test("a call waits for the page, and is answered on it; the record has the person", async (t) => {
  const asker = newAsker(t);
  const served = await serve(t, asker);
  assert.match(served.link, new RegExp(`^http://127\\.0\\.0\\.1:${served.port}/#enter=[\\w-]{43}$`));
  assert.deepEqual(await placesOf(asker), { places: [served.url], isWatched: true });
  const headers = await entered(served);
  const call = asker.begin(asker.call);
  await until("it waits", () => asker.waiting().length === 1);
  const { questions } = (await (await fetch(`${served.url}/api/queue`, { headers })).json()) as {
    questions: { id: string }[];
  };
  const path = `${served.url}/api/questions/${questions[0]?.id ?? ""}`;
  const { digest } = (await (await fetch(path, { headers })).json()) as { digest: string };
  const body = JSON.stringify({ decision: "allow", scope: "once", digest });
  assert.equal((await fetch(`${path}/answer`, { method: "POST", headers, body })).status, 200);
  const { code, out } = await call.done;
  assert.equal(code, 0);
  assert.match(out, /from outside/);
  assert.match(String(asker.events("approval.answered")[0]?.outcome["who"]), /^.+ at the web page$/);
  const machine = (await (await fetch(`${served.url}/api/machine`, { headers })).json()) as { node: string };
  assert.equal(machine.node, process.version);
});

for (const signal of ["SIGINT", "SIGTERM"] as const)
  test(`${signal} ends it in order: open streams too, and calls wait no more`, async (t) => {
    const asker = newAsker(t);
    const served = await serve(t, asker);
    const headers = await entered(served);
    const stream = await fetch(`${served.url}/api/events`, { headers });
    assert.equal(stream.status, 200);
    assert.deepEqual(await served.end(signal), { code: 0, err: "" });
    await assert.rejects(async () => {
      for await (const _ of stream.body ?? []);
      await fetch(`${served.url}/`);
    });
    assert.deepEqual(await placesOf(asker), { places: [], isWatched: false });
  });

test("where a Sallyport answers already, it is said", async (t) => {
  const [first, second] = [newAsker(t), newAsker(t)];
  const served = await serve(t, first);
  const { port } = served;
  const { code, err } = second.run(["serve", "--port", String(port)]);
  assert.equal(code, 2);
  assert.match(err, new RegExp(`port ${port} .* is taken: a Sallyport answers there already\\nhint: Use that one`));
  assert.match(second.run(["mcp", "--http", String(port)]).err, /a Sallyport answers there.*\n.*--http \d+/);
  assert.equal((await served.end("SIGINT")).code, 0, "ended on purpose");
});

test("a port that is taken is said, and no other is used", async (t) => {
  const asker = newAsker(t);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { code, out, err } = asker.run(["serve", "--port", String(port)]);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is taken\\n`));
  const free = Number(/such as --port (\d+);/.exec(err)?.[1]);
  assert.ok(free > port && free <= port + 20, err);
  assert.match(err, /--port 0 takes any that is free/);
  assert.deepEqual(await placesOf(asker), { places: [], isWatched: false });
  assert.match(asker.run(["serve", "--port", "70000"]).err, /--port: "70000" is not a port/);
});

test("on a terminal Enter prints a fresh link, which opens; Ctrl-C ends it", { skip: noTerminal }, async (t) => {
  const asker = newAsker(t);
  const dialog = openDialog(t, asker, ["serve", "--port", "0"], { columns: 160 });
  await dialog.until("Ctrl-C ends it");
  const links = () => [...dialog.output().matchAll(/(http:\/\/127\.0\.0\.1:\d+)\/#enter=[\w-]{43}/g)];
  assert.equal(links().length, 1);
  assert.match(dialog.output(), /sallyport(\.js)? mcp .*--project /);
  await dialog.press("\r");
  await until("a fresh one", () => links().length === 2);
  const [first, fresh] = links();
  assert.notEqual(first?.[0], fresh?.[0]);
  for (const [link, url] of [fresh, first].map((found) => [found?.[0] ?? "", found?.[1] ?? ""] as const))
    await entered({ link, url });
  await dialog.press("\u0003");
  assert.equal(await dialog.ended, 0);
});
