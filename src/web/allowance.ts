// What a device that is limited may do: it reads everything, and changes nothing but what is listed here.
// Invariant: a route that changes something is closed to limited devices until this file opens it.

import type { MiddlewareHandler } from "hono";
import type { Question } from "../approval/approver.ts";
import type { Scope } from "../approval/offer.ts";
import type { Allowance } from "../store/device-kind.ts";
import "./asker.ts";
import { refuse } from "./refuse.ts";

interface Opened {
  readonly method: "POST" | "DELETE";
  readonly path: RegExp;
  readonly to: readonly Allowance[];
}

const opened: readonly Opened[] = [
  { method: "POST", path: /^\/api\/questions\/[^/]+\/answer$/, to: ["low"] },
  { method: "POST", path: /^\/api\/answers$/, to: ["low"] },
  // Whoever only looks wants to know that there is something to look at.
  { method: "POST", path: /^\/api\/push$/, to: ["low", "see"] },
  { method: "DELETE", path: /^\/api\/push$/, to: ["low", "see"] },
  // A device that is not a page can revoke itself alone.
  { method: "DELETE", path: /^\/api\/devices\/[^/]+$/, to: ["low", "see"] },
];

const meaning: Readonly<Record<Exclude<Allowance, "all">, string>> = {
  low: "This device may answer questions of low risk, once, and look at the rest.",
  see: "This device may look, and answers nothing.",
};

const howToAnswer = "Answer on the machine where the gate runs, or on a device that may do more.";

export function limitText(may: Exclude<Allowance, "all">): string {
  return `${meaning[may]} ${howToAnswer}`;
}

/** SECURITY(T111): before every route of the API. */
export const withinAllowance: MiddlewareHandler = async (c, next) => {
  const may = c.get("asker").device?.allowance ?? "all";
  const { method, path } = c.req;
  if (may === "all" || method === "GET" || method === "HEAD") return await next();
  if (opened.some((one) => one.method === method && one.path.test(path) && one.to.includes(may))) return await next();
  return refuse(c, 403, "forbidden", meaning[may], howToAnswer);
};

/** Why a device with this allowance may not give such an answer. Null if it may. */
export function limitOn(may: Allowance, { severity }: Pick<Question, "severity">, scope: Scope): string | null {
  if (may === "all" || (may === "low" && severity === "low" && scope === "once")) return null;
  return limitText(may);
}
