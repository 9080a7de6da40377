// Package managers and runners. Shell starts those of the languages with any words, because the box bounds them. In a
// script they reach the network when they fetch, and some start the program that they are given.

import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { type EffectRule, network } from "../rules/effect-rule.ts";
import { runsFreely } from "../rules/shell-rule.ts";
import { readOptions } from "../rules/read-options.ts";
import { startCommand, startScript, type StartRule, verbStarting } from "../rules/start-rule.ts";
import type { CommandLine } from "../words/command-line.ts";
import { hasWord } from "../words/command-word.ts";
import { hostSets } from "../../policy/host-sets.ts";
import { evalStarting } from "./interpreters.ts";
import { hostOfUrl } from "../rules/host-of.ts";
import { anyHost, asksAboutItself, hostsOf } from "../rules/reached-hosts.ts";

const packageOptions: OptionSpec = {
  values:
    "--prefix -C --cwd --dir --directory --manifest-path --registry --cache --userconfig -w --workspace --filter -H --index-url --index --extra-index-url",
};

/** The verbs with which a package manager reaches the network, and those with which it does if a package is named. */
function fetching(verbs: RegExp, ofPackages?: RegExp): EffectRule {
  return network((command) => packageHosts(command, verbs, ofPackages));
}

/** The hosts that a package manager reaches if nothing else is configured. What is configured, only the run will know. */
const usualHosts: readonly (readonly [names: string, hosts: readonly string[]])[] = [
  ["npm npx pnpm bun", ["registry.npmjs.org:443"]],
  ["yarn", ["registry.yarnpkg.com:443"]],
  ["pip pip3 uv pipx poetry", hostSets.pypi.hosts],
  ["cargo", hostSets.crates.hosts],
  ["go", hostSets.go.hosts],
  ["apt apt-get", ["deb.debian.org:80", "security.debian.org:80"]],
];

function reachedBy(name: string): readonly string[] {
  return [...(usualHosts.find(([names]) => names.split(" ").includes(name))?.[1] ?? []), ...anyHost];
}

function packageHosts(command: CommandLine, verbs: RegExp, ofPackages = /^$/): readonly string[] {
  const { name, args } = command;
  const { operands, has, valuesOf } = readOptions(args, packageOptions);
  if (asksAboutItself(command) || has("--offline", "--no-index")) return [];
  const elsewhere = valuesOf("--registry", "--index-url", "--index", "--extra-index-url");
  const named = hostsOf(elsewhere, (text) => (text.includes("://") ? hostOfUrl(text) : null));
  const hosts = elsewhere.length > 0 || has("-i") ? [...new Set([...named, ...anyHost])] : reachedBy(name);
  const first = operands[0]?.text;
  if (first === undefined) return name === "yarn" || has("-S", "-Syu") ? hosts : [];
  if (first === null || verbs.test(first) || (ofPackages.test(first) && operands.length > 1)) return hosts;
  const isTwo =
    (name === "go" && first === "mod" && operands[1]?.text !== "init") ||
    ((name === "uv" || name === "pip") && /^(?:pip|sync|add|lock|tool)$/.test(first));
  return isTwo && operands[1]?.text !== "list" ? hosts : [];
}

const npmFetches = fetching(
  /^(?:i|in|ins|inst|install|install-test|it|add|ci|clean-install|update|up|upgrade|publish|view|info|show|search|audit|outdated|login|adduser|whoami|ping|create|dist-tag|deprecate|owner|token|access|unpublish|fund)$/,
  /^(?:init|pack)$/,
);
const pipFetches = fetching(/^(?:install|download|wheel|search|index)$/);

const running: StartRule = ({ name, args }) => {
  const read = readOptions(args, {
    values: "-p --package --with --python --project --directory --prefix -C -c --call",
    stand: "before operands",
  });
  if (/^(?:npx|bunx)$/.test(name)) return [...startCommand(read.operands), ...startScript(read.value("-c", "--call"))];
  const [verb, ...rest] = read.operands;
  if (!/^(?:run|exec|x|dlx)$/.test(verb?.text ?? "") || (verb?.text === "run" && /^p?npm$|^yarn$/.test(name)))
    return [];
  return startCommand(
    readOptions(rest, { values: "-p --package --with --python --project", stand: "before operands" }).operands,
  );
};
const condaRunning = verbStarting(/^run$/, {
  options: { values: "-n --name -p --prefix --cwd -e --environment --manifest-path" },
});

export const packageManagers: readonly Program[] = [
  program("npm", {
    shell: runsFreely(),
    effects: [npmFetches],
    starts: running,
  }),
  program("npx", {
    shell: runsFreely(),
    effects: network(({ args }) => (hasWord(args, "-y", "--yes", "-p", "--package") ? reachedBy("npx") : [])),
    starts: running,
  }),
  program("uv", {
    shell: runsFreely(),
    effects: [pipFetches],
    starts: running,
  }),
  program("pip pip3", {
    shell: runsFreely(),
    effects: [pipFetches],
  }),
  program("cargo", {
    shell: runsFreely(),
    effects: fetching(/^(?:install|fetch|update|publish|search|add|login|owner|yank|generate-lockfile)$/),
  }),
  program("go", {
    shell: runsFreely(findGoProblem),
    effects: fetching(/^(?:get|install)$/),
  }),
  program("pnpm yarn poetry", { effects: [npmFetches], starts: running }),
  program("bun", { effects: [npmFetches], starts: evalStarting }),
  program("bundle", {
    effects: fetching(/^(?:install|update|add|outdated)$/),
    starts: running,
  }),
  program("pipenv bunx rye hatch", { starts: running }),
  program("conda mamba", { effects: [npmFetches], starts: condaRunning }),
  program("micromamba pixi", { starts: condaRunning }),
  program("composer", { effects: [npmFetches] }),
  program("pipx", { effects: [pipFetches] }),
  program("gem", {
    effects: fetching(/^(?:install|update|fetch|push|search|outdated)$/),
  }),
  program("apt apt-get dnf yum apk pacman brew zypper snap", {
    effects: fetching(
      /^(?:install|update|upgrade|full-upgrade|dist-upgrade|download|source|build-dep|add|up|fetch|sync|reinstall|groupinstall|makecache|tap|-S\w*)$/,
    ),
  }),
  program("docker podman", {
    effects: fetching(/^(?:pull|push|login|build|run|search|compose|buildx)$/),
  }),
];

function findGoProblem(args: readonly string[]): string | null {
  const first = /^--?C$/.test(args[0] ?? "") ? 2 : /^--?C=/.test(args[0] ?? "") ? 1 : 0;
  if (args[first] !== "env") return null;
  const writes = args.slice(first + 1).find((word) => /^--?[wu](=|$)/.test(word));
  return writes === undefined ? null : `env ${writes} writes the user's configuration`;
}
