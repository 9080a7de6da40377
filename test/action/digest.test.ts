import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { UnsealedAction } from "../../src/action/action.ts";
import { sealAction } from "../../src/action/digest.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

const draft = (): UnsealedAction =>
  ({
    tool: "Exec",
    agent: "default",
    steps: [
      {
        program: "/usr/bin/ls",
        argv: ["/bin/ls", "-l"],
        cwd: "/tmp",
        environment: [["A", "1"]],
        stdin: null,
        timeoutMs: 1000,
        stdoutBytes: 1024,
        stderrBytes: 1024,
      },
    ],
    view: {
      paths: [{ path: "/usr", mode: "r", hide: [".env"] }],
      links: [{ path: "/a", target: "/b" }],
      workspace: { kind: "scratch" },
      network: "none",
    },
    effects: [{ kind: "tool", tool: "Exec" }],
    limits: { memoryMb: 1, fsizeMb: 2, nofile: 3, nproc: 4, cpuS: null },
  }) as unknown as UnsealedAction;

/** Every place in a value where something stands, as a list of keys. */
function places(value: unknown, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [at];
  const inner = Object.entries(value).flatMap(([key, member]) => places(member, [...at, key]));
  return [...(at.length === 0 ? [] : [at]), ...inner];
}

function put(value: unknown, at: readonly (string | number)[], change: (old: unknown) => unknown): void {
  const parent = at
    .slice(0, -1)
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value) as Record<
    string | number,
    unknown
  >;
  const key = at.at(-1) as string | number;
  parent[key] = change(parent[key]);
}

const changes: readonly ((old: unknown) => unknown)[] = [
  (old) =>
    typeof old === "number"
      ? old + 1
      : typeof old === "string"
        ? `${old} `
        : old === null
          ? 0
          : Array.isArray(old)
            ? [...(old as unknown[]), "new"]
            : { ...(old as object), extra: true },
  (old) => (old === "" ? null : ""),
  (old) => (Array.isArray(old) ? (old as unknown[]).slice(1) : old === null ? "null" : null),
];

test("any changed field changes the digest", () => {
  const digest = sealAction(draft(), hash).digest;
  assert.equal(sealAction(draft(), hash).digest, digest, "and the same action has the same one");
  for (const at of places(draft())) {
    for (const change of changes) {
      const changed = structuredClone(draft());
      put(changed, at, change);
      if (JSON.stringify(changed) === JSON.stringify(draft())) continue;
      assert.notEqual(sealAction(changed, hash).digest, digest, at.join("."));
    }
  }
});

test("words that join to the same text are different actions", () => {
  const withArgv = (argv: readonly string[]) =>
    sealAction({ ...draft(), steps: [{ ...(draft().steps[0] as object), argv }] as never }, hash).digest;
  const lists = fc.array(fc.constantFrom("a", "b", " ", '"', ",", "\\", "", "ab", "\u0000", "é", "e\u0301"), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(lists, lists, (one, other) =>
      assert.equal(withArgv(one) === withArgv(other), JSON.stringify(one) === JSON.stringify(other)),
    ),
  );
});

test("the order of keys does not matter, that of lists does", () => {
  const turned = Object.fromEntries(Object.entries(draft()).reverse()) as unknown as UnsealedAction;
  assert.equal(sealAction(turned, hash).digest, sealAction(draft(), hash).digest);
});

test("a sealed action is frozen to the bottom, also where a part was frozen before", () => {
  const shallow = draft();
  Object.freeze(shallow.steps);
  Object.freeze(shallow.view);
  const action = sealAction(shallow, hash);
  for (const at of [[], ...places(action)]) {
    const value = at.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], action);
    if (typeof value === "object" && value !== null) assert.ok(Object.isFrozen(value), at.join("."));
  }
  assert.throws(() => put(action, ["steps", "0", "argv", "0"], () => "/bin/sh"), TypeError);
});
