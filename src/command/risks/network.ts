// Programs that reach the network, and the hosts that their words name.

import type { CommandWord } from "../command-word.ts";
import { readGitWords } from "../git-words.ts";
import { hostOfLogin, hostOfRemote, hostOfUrl } from "../host-of.ts";
import { type LooseSpec, readLoose } from "../loose-options.ts";
import { hasWord, network, type RiskRow, type RiskyCommand } from "../risk-row.ts";

const any = ["*"];
const told = (words: readonly CommandWord[], host: (text: string) => string | null): string[] => [
  ...new Set(words.flatMap(({ text }) => (text === null ? any : (host(text) ?? [])))),
];
const orAny = (hosts: readonly string[]): readonly string[] => (hosts.length === 0 ? any : hosts);
const isInfo = ({ args }: RiskyCommand): boolean =>
  args.length === 1 && /^(?:--version|--help|-V|-h|-v|version|help)$/.test(args[0]?.text ?? "");

const curlOptions: LooseSpec = {
  values:
    "-o --output -H --header -d --data --data-raw --data-binary --data-urlencode --json -X --request -u --user -A --user-agent -e --referer " +
    "-b --cookie -c --cookie-jar -F --form -T --upload-file -m --max-time -w --write-out -x --proxy -K --config -D --dump-header -E --cert " +
    "--cacert --key --retry --retry-delay --connect-timeout --url -r --range -C --continue-at -y -Y -z -P -Q -t -U --resolve --connect-to " +
    "--unix-socket --abstract-unix-socket --output-dir --limit-rate --max-redirs --interface --dns-servers --doh-url --proto --preproxy " +
    "--socks5 --socks5-hostname --socks4 --socks4a --max-filesize --ciphers --aws-sigv4 --rate",
};
const wgetOptions: LooseSpec = {
  values:
    "-O --output-document -o --output-file -a --append-output -P --directory-prefix -U --user-agent -t --tries -T --timeout -w --wait -i " +
    "--input-file -B --base -l --level -A --accept -R --reject -D --domains -Q --quota -e --execute --header --post-data --post-file --user --password " +
    "--limit-rate --max-redirect --ca-certificate --load-cookies --save-cookies --method --body-data --body-file",
};
const packageVerbs: Readonly<Record<string, RegExp>> = {
  npm: /^(?:i|in|ins|inst|install|install-test|it|add|ci|clean-install|update|up|upgrade|publish|view|info|show|search|audit|outdated|login|adduser|whoami|ping|create|init|pack|dist-tag|deprecate|owner|token|access|unpublish|fund)$/,
  pip: /^(?:install|download|wheel|search|index)$/,
  cargo: /^(?:install|fetch|update|publish|search|add|login|owner|yank|generate-lockfile)$/,
  go: /^(?:get|install)$/,
  gem: /^(?:install|update|fetch|push|search|outdated)$/,
  bundle: /^(?:install|update|add|outdated)$/,
  apt: /^(?:install|update|upgrade|full-upgrade|dist-upgrade|download|source|build-dep|add|up|fetch|sync|reinstall|groupinstall|makecache|tap|-S\w*)$/,
  docker: /^(?:pull|push|login|build|run|search|compose|buildx)$/,
};
const packageNames: Readonly<Record<string, string>> = {
  pnpm: "npm", yarn: "npm", bun: "npm", pip3: "pip", pipx: "pip", uv: "pip", poetry: "npm", "apt-get": "apt", dnf: "apt", yum: "apt",
  apk: "apt", pacman: "apt", brew: "apt", zypper: "apt", snap: "apt", podman: "docker", conda: "npm", mamba: "npm", composer: "npm",
}; // prettier-ignore

const reachOptions = { values: "-c -i -I -p -s -w -W -t -q -x -X -e -m -Q -S" };
const nmapOptions = {
  values: "-oN -oX -oG -oA -oS -iL -iR -p -e -D -S -g -exclude -excludefile -script -script-args -top-ports",
  names: "whole",
} as const;

export const networkRisks: readonly RiskRow[] = [
  network(
    "curl wget http https xh aria2c",
    {
      is: [
        "curl -s https://example.com@evil.invalid/",
        "curl x.invalid/a",
        "curl -o out -H 'a: b' http://127.0.0.1:9/",
        'curl "$url"',
        "curl --unix-socket /s http://x/info",
        "wget -q http://127.0.0.1:9/",
        "wget -O - http://0x7f.1/",
        "curl -K x",
        "curl 'https://a.invalid\\@b.invalid/'",
        "curl 'http://[::1]:80/'",
      ],
      hosts: ["evil.invalid", "x.invalid", "127.0.0.1", "*", "x", "127.0.0.1", "127.0.0.1", "*", "*", "::1"],
      isNot: ["curl --version", "echo curl http://x", "curl file:///etc/hosts"],
    },
    (command) => {
      if (isInfo(command)) return [];
      const read = readLoose(command.args, command.name === "wget" ? wgetOptions : curlOptions);
      const isCurl = command.name === "curl";
      const more = isCurl
        ? read.valuesOf(
            "--url",
            "-x",
            "--proxy",
            "--preproxy",
            "--socks5",
            "--socks5-hostname",
            "--socks4",
            "--socks4a",
            "--doh-url",
          )
        : [];
      const isOpen = isCurl
        ? read.has("-K", "--config", "--resolve", "--connect-to", "--dns-servers")
        : read.has("-i", "--input-file", "-e", "--execute");
      const words = isCurl || command.name !== "http" ? read.operands : read.operands.slice(-1);
      const isFile = words.length > 0 && words.every(({ text }) => /^file:/i.test(text ?? ""));
      if (isFile && more.length === 0 && !isOpen) return [];
      return orAny([...new Set([...told([...words, ...more], hostOfUrl), ...(isOpen ? any : [])])]);
    },
  ),
  network(
    "nc ncat netcat telnet ftp ping ping6 traceroute tracepath mtr nmap whois",
    {
      is: [
        "nc -z 127.0.0.1 9",
        "ping -c 1 x.invalid",
        "nc -l 80",
        "telnet x.invalid 80",
        'nc "$h" 1',
        "nmap -sV -oN out -p 80 x.invalid",
        "nmap -iL list",
      ],
      hosts: ["127.0.0.1", "x.invalid", "*", "x.invalid", "*", "x.invalid", "*"],
      isNot: ["nc -h", "ping -V"],
    },
    (command) => {
      if (isInfo(command)) return [];
      const read = readLoose(command.args, command.name === "nmap" ? nmapOptions : reachOptions);
      return read.has("-l") || read.operands.length === 0 ? any : told(read.operands.slice(0, 1), hostOfUrl);
    },
  ),
  network(
    "dig nslookup host getent drill",
    {
      is: ["dig x.invalid", "host x", "getent hosts x"],
      hosts: ["*", "*", "*"],
      isNot: ["getent passwd root", "getent group"],
    },
    ({ name, args }) => (name === "getent" && !/hosts/.test(args[0]?.text ?? "hosts") ? [] : any),
  ),
  network(
    "ssh autossh mosh ssh-copy-id sshfs sftp",
    {
      is: ["ssh host", "ssh -o BatchMode=yes -p 22 me@127.0.0.1 ls", "ssh -J jump host"],
      hosts: ["host", "127.0.0.1", "*"],
      isNot: ["ssh -V", "ssh -Q cipher"],
    },
    ({ args }) => {
      const read = readLoose(args, {
        values: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -P",
        stand: "before operands",
      });
      if (read.has("-V", "-Q")) return [];
      const isOpen =
        read.has("-J", "-W", "-F") ||
        read.valuesOf("-o").some(({ text }) => /^(?:proxy|hostname)/i.test(text ?? "proxy"));
      return isOpen
        ? any
        : orAny(told(read.operands.slice(0, 1), (text) => hostOfLogin(text.replace(/:(?!\/\/).*/s, ""))));
    },
  ),
  network(
    "scp rsync rcp",
    {
      is: ["scp a me@x.invalid:b", "rsync -a a/ x.invalid:b", "rsync rsync://x.invalid/a .", 'scp "$a" b'],
      hosts: ["x.invalid", "x.invalid", "x.invalid", "*"],
      isNot: ["rsync -a a/ b/", "scp a b", "rsync --version"],
    },
    ({ args }) =>
      told(
        readLoose(args, { values: "-e --rsh -i -o -P -F -J -l -S -c -f --filter --exclude --include" }).operands,
        hostOfRemote,
      ),
  ),
  network(
    "git",
    {
      is: [
        "git clone https://127.0.0.1:9/x",
        "git clone git@x.invalid:a/b",
        "git fetch",
        "git -C x pull origin",
        "git ls-remote ssh://me@x.invalid/a",
        "git push",
        "git submodule update --init",
        "git remote add -f a https://x.invalid/",
      ],
      hosts: ["127.0.0.1", "x.invalid", "*", "*", "x.invalid", "*", "*", "*"],
      isNot: [
        "git clone ../a b",
        "git clone /a",
        "git clone file:///a",
        "git status",
        "git remote -v",
        "git push ../a main",
        "git fetch .",
      ],
    },
    gitHosts,
  ),
  network(
    [...Object.keys(packageVerbs), ...Object.keys(packageNames)].join(" "),
    {
      is: [
        "npm install",
        "npm ci",
        "npm i -D x",
        "pip install x",
        "uv pip install x",
        "go mod download",
        "cargo install x",
        "apt-get -y install x",
        "yarn",
        "npm --prefix x install",
      ],
      hosts: ["*", "*", "*", "*", "*", "*", "*", "*", "*", "*"],
      isNot: [
        "npm ci --offline",
        "npm test",
        "npm run build",
        "pip list",
        "pip install --no-index x",
        "cargo build",
        "go test ./...",
        "npm --version",
        "cargo install --offline x",
        "yarn test",
      ],
    },
    packageHosts,
  ),
  network(
    "gh glab aws gcloud az kubectl helm terraform rclone twine npx svn",
    {
      is: ["gh pr list", "aws s3 ls", "npx -y x"],
      hosts: ["*", "*", "*"],
      isNot: ["gh --version", "npx tsc", "terraform fmt", "terraform -chdir=x fmt", "npx --no-install tsc"],
    },
    (command) => {
      if (isInfo(command) || command.args.length === 0) return [];
      const first = command.args.find(({ text }) => text?.startsWith("-chdir=") !== true)?.text ?? "";
      if (command.name === "npx") return hasWord(command.args, "-y", "--yes", "-p", "--package") ? any : [];
      return /^(?:fmt|validate|version|help|completion|config|template|lint)$/.test(first) ? [] : any;
    },
  ),
];

function gitHosts({ args }: RiskyCommand): readonly string[] {
  const { subcommand, args: words } = readGitWords(args);
  const read = readLoose(words, {
    values:
      "-b --branch -o --origin --upload-pack -u --depth -j --jobs --reference --push-option --receive-pack -c --config --template --repo --filter --remote",
  });
  const first = read.operands.slice(0, 1);
  const isOwn = (text: string): boolean => /^(?:\/|\.{1,2}(?:\/|$))/.test(text);
  switch (subcommand ?? "") {
    case "clone":
      return first.length === 0 ? [] : told(first, hostOfRemote);
    case "fetch":
    case "pull":
    case "push":
    case "ls-remote":
    case "send-pack":
    case "fetch-pack":
      // A remote's name leads wherever the configuration says.
      return first.length === 0
        ? any
        : told(first, (text) => (isOwn(text) || /^file:/i.test(text) ? null : (hostOfRemote(text) ?? "*")));
    case "submodule":
      return /^(?:update|add)$/.test(first[0]?.text ?? "") ? any : [];
    case "remote":
      return /^(?:update|prune|show)$/.test(first[0]?.text ?? "") ||
        (first[0]?.text === "add" && read.has("-f", "--fetch"))
        ? any
        : [];
    case "archive":
      return read.has("--remote") ? any : [];
    case "subtree":
      return /^(?:push|pull|add)$/.test(first[0]?.text ?? "") && !read.operands.some(({ text }) => isOwn(text ?? ""))
        ? any
        : [];
    case "http-fetch":
    case "http-push":
    case "imap-send":
    case "lfs":
    case "p4":
    case "svn":
    case "send-email":
    case "request-pull":
      return any;
    default:
      return [];
  }
}

function packageHosts(command: RiskyCommand): readonly string[] {
  const { name, args } = command;
  const verbs = packageVerbs[packageNames[name] ?? name] as RegExp;
  const { operands, has } = readLoose(args, {
    values:
      "--prefix -C --cwd --dir --directory --manifest-path --registry --cache --userconfig -w --workspace --filter -H",
  });
  if (isInfo(command) || has("--offline", "--no-index")) return [];
  const first = operands[0]?.text;
  if (first === undefined) return name === "yarn" || has("-S", "-Syu") ? any : [];
  if (first === null || verbs.test(first)) return any;
  const isTwo =
    (name === "go" && first === "mod" && operands[1]?.text !== "init") ||
    ((name === "uv" || name === "pip") && /^(?:pip|sync|add|lock|tool)$/.test(first));
  return isTwo && operands[1]?.text !== "list" ? any : [];
}
