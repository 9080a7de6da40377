// What a worker adds to the rules: its own rules, and permission to contact the addresses that it names without asking.

import { githubAddress } from "../git/target/github/github.ts";
import { githubBaseUrl } from "../git/target/github/github-api.ts";
import type { GitTarget } from "../git/target/target.ts";
import { parseGithubRepo, parseRemoteUrl } from "../git/target/url.ts";
import type { Worker } from "../config/worker.ts";
import { compileRule, type Rule } from "../policy/rule.ts";
import { escapeWord } from "../policy/word-pattern.ts";

export function workerRules(
  { file, rules, defaultTarget, autoPull }: Worker,
  githubUrl = githubBaseUrl,
): readonly Rule[] {
  const named = [...(defaultTarget === null ? [] : [defaultTarget]), ...autoPull.map(({ source }) => source)];
  const addresses = new Set(named.map((target) => addressOf(target, githubUrl)).filter((address) => address !== null));
  const contacts = [...addresses].flatMap((address, index) => {
    const text = {
      decide: "allow",
      effect: "pull",
      target: escapeWord(address),
      because: "the worker names it",
    } as const;
    const rule = compileRule(text, `w-${index}`, file);
    return rule.ok ? [rule.value] : [];
  });
  return [...rules, ...contacts];
}

function addressOf(target: GitTarget, githubUrl: string): string | null {
  if (target.type === "remote") {
    const url = parseRemoteUrl(target.url);
    return url.ok ? url.value.text : null;
  }
  if (target.type !== "github") return null;
  const repo = parseGithubRepo(target.repo);
  return repo.ok ? githubAddress(repo.value, githubUrl) : null;
}
