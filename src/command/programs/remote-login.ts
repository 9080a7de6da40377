// Programs that log in to another machine, or copy from and to it: ssh, sftp, scp, rsync, telnet, ftp.

import { criticalPath } from "../rules/critical-path.ts";
import { destroy, interactive, network } from "../rules/effect-rule.ts";
import { hostOfLogin, hostOfRemote, hostOfUrl } from "../rules/host-of.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { optionStarting, starting, startPrefixed } from "../rules/start-rule.ts";
import { anyHost, asksAboutItself, hostsOf, orAnyHost } from "../rules/reached-hosts.ts";
import { showsItself } from "./terminals.ts";

/** Options may stand behind the host as well. */
const anySshOptions: OptionSpec = { values: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -P" };
const sshOptions: OptionSpec = { ...anySshOptions, stand: "before operands" };
const rsyncOptions: OptionSpec = {
  values:
    "-e --rsh --rsync-path --exclude --include -f --filter --files-from --temp-dir -T --log-file --chmod --chown -B -M",
};
const reachesLogin = network(
  {
    is: ["ssh host", "ssh -o BatchMode=yes -p 22 me@127.0.0.1 ls", "ssh -J jump host"],
    hosts: ["host", "127.0.0.1", "*"],
    isNot: ["ssh -V", "ssh -Q cipher"],
  },
  ({ args }) => {
    const read = readOptions(args, sshOptions);
    if (read.has("-V", "-Q")) return [];
    const isOpen =
      read.has("-J", "-W", "-F") ||
      read.valuesOf("-o").some(({ text }) => /^(?:proxy|hostname)/i.test(text ?? "proxy"));
    return isOpen
      ? anyHost
      : orAnyHost(hostsOf(read.operands.slice(0, 1), (text) => hostOfLogin(text.replace(/:(?!\/\/).*/s, ""))));
  },
);
const reachesHost = network(
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
    if (asksAboutItself(command)) return [];
    const read = readOptions(command.args, command.name === "nmap" ? nmapOptions : reachOptions);
    return read.has("-l") || read.operands.length === 0 ? anyHost : hostsOf(read.operands.slice(0, 1), hostOfUrl);
  },
);
const reachesCopy = network(
  {
    is: ["scp a me@x.invalid:b", "rsync -a a/ x.invalid:b", "rsync rsync://x.invalid/a .", 'scp "$a" b'],
    hosts: ["x.invalid", "x.invalid", "x.invalid", "*"],
    isNot: ["rsync -a a/ b/", "scp a b", "rsync --version"],
  },
  ({ args }) =>
    hostsOf(
      readOptions(args, { values: "-e --rsh -i -o -P -F -J -l -S -c -f --filter --exclude --include" }).operands,
      hostOfRemote,
    ),
);
const waitsForPerson = interactive(
  {
    is: ["telnet host", "ftp host", "sftp host"],
    isNot: ["sftp -b batch host", "sftp -b- host", "echo x | telnet host 80", "ftp < x"],
  },
  (command) =>
    !showsItself(command) &&
    !command.hasInput &&
    !command.args.some(({ text }) => text?.startsWith("-b") === true && command.name === "sftp"),
);
const copyStarting = optionStarting({ values: "-S -B -c -D -F -i -J -l -o -P -R -s -X" }, "-S", [
  ["scp -S ./x a h:b", "./x …"],
  ["scp a h:b"],
]);

const reachOptions = { values: "-c -i -I -p -s -w -W -t -q -x -X -e -m -Q -S" };
const nmapOptions = {
  values: "-oN -oX -oG -oA -oS -iL -iR -p -e -D -S -g -exclude -excludefile -script -script-args -top-ports",
  longNames: "one dash",
} as const;

export const remoteLogin: readonly Program[] = [
  program("ssh", {
    effects: [
      interactive(
        {
          is: ["ssh host", "ssh -p 22 a@host", "ssh -t host"],
          isNot: ["ssh host ls", "ssh -V", "ssh -N host", "ssh -G host", "ssh -O exit host", "echo ls | ssh host"],
        },
        ({ args, hasInput }) => {
          const read = readOptions(args, sshOptions);
          const behind = readOptions(read.operands.slice(1), sshOptions);
          const has = (...names: string[]): boolean => read.has(...names) || behind.has(...names);
          return (
            !hasInput &&
            read.operands.length > 0 &&
            behind.operands.length === 0 &&
            !has("-N", "-V", "-G", "-O", "-Q", "-W", "-f")
          );
        },
      ),
      reachesLogin,
    ],
    starts: starting(
      [
        ["ssh -o ProxyCommand='rm x' h ls", "rm x"],
        ["ssh -oLocalCommand='rm x' -oPermitLocalCommand=yes h ls", "rm x"],
        ["ssh -i k h ls"],
      ],
      ({ args }) =>
        startPrefixed(
          readOptions(args, anySshOptions).valuesOf("-o"),
          /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*/i,
        ),
    ),
  }),
  program("autossh mosh ssh-copy-id sshfs", { effects: [reachesLogin] }),
  program("sftp", { effects: [waitsForPerson, reachesLogin], starts: copyStarting }),
  program("scp", { effects: [reachesCopy], starts: copyStarting }),
  program("rcp", { effects: [reachesCopy] }),
  program("rsync", {
    effects: [
      destroy(
        "files",
        {
          is: ["rsync -a --delete empty/ /", "rsync -a --delete-after x/ ~/"],
          isNot: ["rsync -a --delete src/ dist/", "rsync -a a/ ~/"],
        },
        (command) =>
          command.args.some(({ text }) => text?.startsWith("--del") === true) &&
          readOptions(command.args, rsyncOptions)
            .operands.slice(-1)
            .some((word) => criticalPath(word, command) !== null),
      ),
      reachesCopy,
    ],
    starts: optionStarting(rsyncOptions, "-e --rsh --rsync-path", [
      ["rsync -e 'rm x' a b", "rm x …"],
      ["rsync -a --delete a/ b/"],
    ]),
  }),
  program("telnet ftp", { effects: [waitsForPerson, reachesHost] }),
  program("nc ncat netcat ping ping6 traceroute tracepath mtr nmap whois", { effects: [reachesHost] }),
  program("socat", {
    starts: starting(
      [["socat - EXEC:'rm x',pty", "rm x,pty"], ["socat - SYSTEM:'rm x'", "rm x"], ["socat -V"]],
      ({ args }) => startPrefixed(args, /^(?:EXEC|SYSTEM|SHELL):/i),
    ),
  }),
];
