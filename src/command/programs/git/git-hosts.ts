// The hosts that git reaches, by subcommand.

import { type EffectRule, network } from "../../rules/effect-rule.ts";
import { hostOfRemote } from "../../rules/host-of.ts";
import type { OptionSpec } from "../../rules/option-spec.ts";
import { readOptions } from "../../rules/read-options.ts";
import type { CommandLine } from "../../words/command-line.ts";
import { anyHost, hostsOf } from "../../rules/reached-hosts.ts";
import { readGitWords } from "./git-words.ts";

export const gitNetwork: EffectRule = network(gitHosts);

const remoteOptions: OptionSpec = {
  values:
    "-b --branch -o --origin --upload-pack -u --depth -j --jobs --reference --push-option --receive-pack -c --config --template --repo --filter --remote",
};

function gitHosts({ args }: CommandLine): readonly string[] {
  const { subcommand, args: words } = readGitWords(args);
  const read = readOptions(words, remoteOptions);
  const first = read.operands.slice(0, 1);
  const isOwn = (text: string): boolean => /^(?:\/|\.{1,2}(?:\/|$))/.test(text);
  switch (subcommand ?? "") {
    case "clone":
      return first.length === 0 ? [] : hostsOf(first, hostOfRemote);
    case "fetch":
    case "pull":
    case "push":
    case "ls-remote":
    case "send-pack":
    case "fetch-pack":
      // A remote's name leads to any host: the repository's configuration decides.
      return first.length === 0
        ? anyHost
        : hostsOf(first, (text) => (isOwn(text) || /^file:/i.test(text) ? null : (hostOfRemote(text) ?? "*")));
    case "submodule":
      return /^(?:update|add)$/.test(first[0]?.text ?? "") ? anyHost : [];
    case "remote":
      return /^(?:update|prune|show)$/.test(first[0]?.text ?? "") ||
        (first[0]?.text === "add" && read.has("-f", "--fetch"))
        ? anyHost
        : [];
    case "archive":
      return read.has("--remote") ? anyHost : [];
    case "subtree":
      return /^(?:push|pull|add)$/.test(first[0]?.text ?? "") && !read.operands.some(({ text }) => isOwn(text ?? ""))
        ? anyHost
        : [];
    case "http-fetch":
    case "http-push":
    case "imap-send":
    case "lfs":
    case "p4":
    case "svn":
    case "send-email":
    case "request-pull":
      return anyHost;
    default:
      return [];
  }
}
