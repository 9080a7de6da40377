// A call that names hosts, up to its verdict.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import { openScriptGate } from "../fixtures/script-gate.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());

async function planned(network: unknown, granted: readonly string[] = [], policy?: Record<string, unknown>) {
  const script = openScriptGate(directories, { network: granted, ...(policy === undefined ? {} : { policy }) });
  try {
    const result = await script.gate.plan({ tool: "Bash", args: { script: "true", needs: { network } } });
    if (!result.ok) return { error: result.failure.error, message: result.failure.message };
    const { action, verdict } = result.value;
    const hosts = verdict.findings.flatMap(({ effect, decision }) =>
      effect.kind === "network" ? [`${effect.host} ${decision}`] : [],
    );
    return { decision: verdict.decision, hosts, network: action.view.network };
  } finally {
    script.close();
  }
}

test("each host is judged: a granted one asks nobody, the others ask, and the view lists what is beyond the grants", async () => {
  assert.deepEqual(await planned(["Example.org", "db.example:5432"]), {
    decision: "ask",
    hosts: ["db.example:5432 ask", "example.org:443 ask"],
    network: { hosts: ["db.example:5432", "example.org:443"] },
  });
  assert.deepEqual(await planned(["example.org", "db.example:5432"], ["example.org"]), {
    decision: "ask",
    hosts: ["db.example:5432 ask", "example.org:443 allow"],
    network: { hosts: ["db.example:5432"] },
  });
  assert.deepEqual(await planned(["example.org"], ["*.org", "example.org"]), {
    decision: "allow",
    hosts: ["example.org:443 allow"],
    network: { hosts: [] },
  });
  const npm = ["registry.npmjs.org:443", "registry.yarnpkg.com:443"];
  assert.deepEqual(
    (await planned(["npm"])).hosts,
    npm.map((host) => `${host} ask`),
  );
});

test("the whole network is what it was, and so is none", async () => {
  assert.deepEqual(await planned(true), { decision: "ask", hosts: ["* ask"], network: "host" });
  assert.deepEqual(await planned(false), { decision: "allow", hosts: [], network: "none" });
  assert.deepEqual(await planned([]), { decision: "allow", hosts: [], network: "none" });
  assert.deepEqual(await planned(["example.org"], ["*"]), {
    decision: "allow",
    hosts: ["example.org:443 allow", "* allow"],
    network: "host",
  });
});

test("a grant, `ask` or a rule that allows a host gives every call the network of the gate", async () => {
  for (const granted of [["example.org"], ["ask"]])
    assert.deepEqual((await planned(false, granted)).network, { hosts: [] }, granted.join());
  const rule = { decide: "allow", effect: "network", host: "example.org:443" };
  assert.deepEqual((await planned(false, [], { rules: [rule] })).network, { hosts: [] });
  assert.deepEqual((await planned(["example.org"], [], { rules: [rule] })).decision, "allow");
  const denied = { decide: "deny", effect: "network", host: "example.org" };
  assert.deepEqual((await planned(["example.org"], ["example.org"], { rules: [denied] })).decision, "deny");
});

test("what is no host is refused with its place", async () => {
  for (const [network, message] of [
    [["example.org", "a b"], /^needs\.network\[1\]: "a b" is not a host/],
    [["*.example.org"], /^needs\.network\[0\]: "\*\.example\.org" is more than one host and port/],
    [["10.0.0.0/8"], /^needs\.network\[0\]: .* is more than one/],
    [["example.org:*"], /^needs\.network\[0\]: .* is more than one/],
    [["0x7f.1"], /^needs\.network\[0\]: .* odd spelling of 127\.0\.0\.1/],
    ["example.org", /^needs\.network/],
  ] as const) {
    const result = await planned(network);
    assert.equal(result.error, "invalid_args", JSON.stringify(network));
    assert.match(result.message ?? "", message);
  }
});
