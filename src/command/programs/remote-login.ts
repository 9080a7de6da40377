// Programs that log in to another machine, or copy from and to it: ssh, sftp, scp, rsync, telnet, ftp.

import { criticalPath } from "../rules/critical-path.ts";
import { destroy, interactive, network } from "../rules/effect-rule.ts";
import { atPort, hostOfLogin, hostOfRemote, hostOfUrl } from "../rules/host-of.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { optionStarting, startPrefixed } from "../rules/start-rule.ts";
import { anyHost, asksAboutItself, hostsOf, orAnyHost } from "../rules/reached-hosts.ts";
import { showsItself } from "./terminals.ts";

/** Options may stand behind the host as well. */
const anySshOptions: OptionSpec = { values: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -P" };
const sshOptions: OptionSpec = { ...anySshOptions, stand: "before operands" };
const rsyncOptions: OptionSpec = {
  values:
    "-e --rsh --rsync-path --exclude --include -f --filter --files-from --temp-dir -T --log-file --chmod --chown -B -M",
};
const reachesLogin = network(({ name, args }) => {
  const read = readOptions(args, sshOptions);
  if (read.has("-V", "-Q")) return [];
  const isOpen =
    read.has("-J", "-W", "-F") || read.valuesOf("-o").some(({ text }) => /^(?:proxy|hostname)/i.test(text ?? "proxy"));
  const port = read.value("-p") ?? (name === "sftp" ? read.value("-P") : undefined);
  const at = (host: string) => (port == null ? host : atPort(host, port.text));
  return isOpen
    ? anyHost
    : orAnyHost(hostsOf(read.operands.slice(0, 1), (text) => at(hostOfLogin(text.replace(/:(?!\/\/).*/s, "")))));
});
const reachesHost = network((command) => {
  if (asksAboutItself(command)) return [];
  const read = readOptions(command.args, command.name === "nmap" ? nmapOptions : reachOptions);
  if (read.has("-l") || read.operands.length === 0) return anyHost;
  const [first, second] = read.operands;
  const port = /^(?:nc|ncat|netcat|telnet|ftp)$/.test(command.name) ? (second ?? usualPort(command.name)) : undefined;
  return hostsOf(first === undefined ? [] : [first], (text) => atPort(hostOfUrl(text), port?.text ?? null));
});
/** The port of a program that was given none. */
function usualPort(name: string): { readonly text: string } | undefined {
  return name === "telnet" ? { text: "23" } : name === "ftp" ? { text: "21" } : undefined;
}
const reachesCopy = network(({ name, args }) => {
  const read = readOptions(args, { values: "-e --rsh -i -o -P -F -J -l -S -c -f --filter --exclude --include" });
  // rsync may start a shell with a port of its own.
  const port = name === "scp" ? read.value("-P") : read.has("-e", "--rsh") ? { text: null } : null;
  return hostsOf(read.operands, (text) => {
    const host = hostOfRemote(text);
    return host === null || port === null ? host : atPort(host, port.text);
  });
});
const waitsForPerson = interactive(
  (command) =>
    !showsItself(command) &&
    !command.hasInput &&
    !command.args.some(({ text }) => text?.startsWith("-b") === true && command.name === "sftp"),
);
const copyStarting = optionStarting({ values: "-S -B -c -D -F -i -J -l -o -P -R -s -X" }, "-S");

const reachOptions = { values: "-c -i -I -p -s -w -W -t -q -x -X -e -m -Q -S" };
const nmapOptions = {
  values: "-oN -oX -oG -oA -oS -iL -iR -p -e -D -S -g -exclude -excludefile -script -script-args -top-ports",
  longNames: "one dash",
} as const;

export const remoteLogin: readonly Program[] = [
  program("ssh", {
    effects: [
      interactive(({ args, hasInput }) => {
        const read = readOptions(args, sshOptions);
        const behind = readOptions(read.operands.slice(1), sshOptions);
        const has = (...names: string[]): boolean => read.has(...names) || behind.has(...names);
        return (
          !hasInput &&
          read.operands.length > 0 &&
          behind.operands.length === 0 &&
          !has("-N", "-V", "-G", "-O", "-Q", "-W", "-f")
        );
      }),
      reachesLogin,
    ],
    starts: ({ args }) =>
      startPrefixed(
        readOptions(args, anySshOptions).valuesOf("-o"),
        /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*/i,
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
        (command) =>
          command.args.some(({ text }) => text?.startsWith("--del") === true) &&
          readOptions(command.args, rsyncOptions)
            .operands.slice(-1)
            .some((word) => criticalPath(word, command) !== null),
      ),
      reachesCopy,
    ],
    starts: optionStarting(rsyncOptions, "-e --rsh --rsync-path"),
  }),
  program("telnet ftp", { effects: [waitsForPerson, reachesHost] }),
  program("nc ncat netcat ping ping6 traceroute tracepath mtr nmap whois", { effects: [reachesHost] }),
  program("socat", {
    starts: ({ args }) => startPrefixed(args, /^(?:EXEC|SYSTEM|SHELL):/i),
  }),
];
