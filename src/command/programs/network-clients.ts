// Programs that fetch from the network, ask for names, or speak with a service.

import { network, push } from "../rules/effect-rule.ts";
import { hostOfUrl } from "../rules/host-of.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import type { CommandLine } from "../words/command-line.ts";
import { textsOf } from "../words/command-word.ts";
import { hubStarts } from "./git/git-starts.ts";
import { anyHost, asksAboutItself, hostsOf, orAnyHost } from "../rules/reached-hosts.ts";

const curlOptions: OptionSpec = {
  values:
    "-o --output -H --header -d --data --data-raw --data-binary --data-urlencode --json -X --request -u --user -A --user-agent -e --referer " +
    "-b --cookie -c --cookie-jar -F --form -T --upload-file -m --max-time -w --write-out -x --proxy -K --config -D --dump-header -E --cert " +
    "--cacert --key --retry --retry-delay --connect-timeout --url -r --range -C --continue-at -y -Y -z -P -Q -t -U --resolve --connect-to " +
    "--unix-socket --abstract-unix-socket --output-dir --limit-rate --max-redirs --interface --dns-servers --doh-url --proto --preproxy " +
    "--socks5 --socks5-hostname --socks4 --socks4a --max-filesize --ciphers --aws-sigv4 --rate",
};
const wgetOptions: OptionSpec = {
  values:
    "-O --output-document -o --output-file -a --append-output -P --directory-prefix -U --user-agent -t --tries -T --timeout -w --wait -i " +
    "--input-file -B --base -l --level -A --accept -R --reject -D --domains -Q --quota -e --execute --header --post-data --post-file --user --password " +
    "--limit-rate --max-redirect --ca-certificate --load-cookies --save-cookies --method --body-data --body-file",
};

const githubHosts = ["api.github.com:443", "github.com:443"];

const reachesService = network((command) => {
  if (asksAboutItself(command) || command.args.length === 0) return [];
  const first = command.args.find(({ text }) => text?.startsWith("-chdir=") !== true)?.text ?? "";
  if (/^(?:fmt|validate|version|help|completion|config|template|lint)$/.test(first)) return [];
  return command.name === "gh" ? [...githubHosts, ...anyHost] : anyHost;
});

const hostingPush = push((command) =>
  pushes(command) ? [{ kind: "push", target: "*", branch: null, by: "command" }] : [],
);

export const networkClients: readonly Program[] = [
  program("curl wget http https xh aria2c", {
    effects: network((command) => {
      if (asksAboutItself(command)) return [];
      const read = readOptions(command.args, command.name === "wget" ? wgetOptions : curlOptions);
      const isCurl = command.name === "curl";
      const more = isCurl
        ? read.valuesOf(
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
      const named = isCurl || command.name !== "http" ? read.operands : read.operands.slice(-1);
      const words = isCurl ? [...named, ...read.valuesOf("--url")] : named;
      const isFile = words.length > 0 && words.every(({ text }) => /^file:/i.test(text ?? ""));
      // The URL is only what the server behind the socket is told. After --next, options begin anew.
      const isSocket = isCurl && read.has("--unix-socket", "--abstract-unix-socket") && !read.has("--next", "-:");
      if ((isFile || isSocket) && more.length === 0 && !isOpen) return [];
      const scheme = command.name === "https" ? "https" : "http";
      const hosts = hostsOf(words, (text) => hostOfUrl(text, scheme));
      return orAnyHost([
        ...new Set([...hosts, ...hostsOf(more, (text) => hostOfUrl(text, "proxy")), ...(isOpen ? anyHost : [])]),
      ]);
    }),
  }),
  program("dig nslookup host getent drill", {
    effects: network(({ name, args }) => (name === "getent" && !/hosts/.test(args[0]?.text ?? "hosts") ? [] : anyHost)),
  }),
  program("aws gcloud az kubectl helm terraform rclone twine svn", { effects: [reachesService] }),
  program("gh glab", { effects: [hostingPush, reachesService] }),
  program("hub", { effects: [hostingPush], starts: hubStarts }),
  program("jj", { effects: [hostingPush] }),
];

/** Whether a program of a hosting service, or jj, pushes. */
function pushes({ name, args }: CommandLine): boolean {
  const read = readOptions(args, { values: "-R --repo --repository --source -s --remote -r --config --at-op" });
  const [first, second] = textsOf(read.operands);
  switch (name) {
    case "gh":
      return first === "repo" && second === "create" && read.has("--push");
    case "glab":
      return first === "mr" && /^(?:create|new)$/.test(second ?? "") && read.has("--push", "--fill", "-f");
    case "hub":
      return first === "pull-request" && read.has("-p", "--push");
    default:
      return first === "git" && second === "push";
  }
}
