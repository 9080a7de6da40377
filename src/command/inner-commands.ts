// The commands inside of a command: wrappers, shells, and the shell's own words that take commands.

import { type CommandWord, knownWord } from "./command-word.ts";
import { codeInner } from "./inner-code.ts";
import { gitInner } from "./inner-git.ts";
import { launcherInner } from "./inner-launchers.ts";
import { optionInner } from "./inner-options.ts";
import { shellInner } from "./inner-shell.ts";
import {
  innerCommand,
  type Inner,
  innerRow,
  type InnerRow,
  joinedScript,
  innerScript,
  unknownInner,
  withLater,
  withMark,
  wrapper,
} from "./inner-row.ts";
import { readLoose } from "./loose-options.ts";
import type { RiskyCommand } from "./risk-row.ts";
import { assignedInner } from "./running-variables.ts";

const sudoValues =
  "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T --command-timeout -U --other-user -D --chdir -R --chroot -a -c";

export const innerRows: readonly InnerRow[] = [
  innerRow(
    "env genv",
    [
      ["env -i A=b rm x", "rm x"],
      ["env -u A -C src rm x", "rm x"],
      ["env - rm x", "rm x"],
      ["env -S 'A=b rm -f' x", "rm -f x"],
      ["env -vS 'rm x'", "rm x"],
      ["env -S rm -f x", "rm -f x"],
      ["env --split-string='rm x'", "rm x"],
      ["env env rm x", "env rm x", "rm x"],
      ['env "$x" rm x', "… rm x"],
      ["env GIT_SSH_COMMAND='rm x; y' git fetch", "rm x"],
    ],
    ({ args }) => readEnv(args),
  ),
  wrapper("timeout gtimeout", { values: "-k --kill-after -s --signal", skip: 1 }, [
    ["timeout 5 rm x", "rm x"],
    ["timeout -k 1 -s KILL 5 rm x", "rm x"],
    ["timeout --signal=KILL --foreground 5s rm x", "rm x"],
  ]),
  wrapper("nice gnice", { values: "-n --adjustment" }, [
    ["nice -n 5 rm x", "rm x"],
    ["nice -5 rm x", "rm x"],
    ["nice rm x", "rm x"],
  ]),
  wrapper("ionice", { values: "-c --class -n --classdata -p -P -u", unless: "-p -P -u" }, [
    ["ionice -c 3 rm x", "rm x"],
    ["ionice -c3 rm x", "rm x"],
  ]),
  wrapper("nohup setsid time gtime exec builtin", { values: "-f --format -o --output -a" }, [
    ["nohup rm x &", "rm x"],
    ["setsid -w rm x", "rm x"],
    ["/usr/bin/time -f %e rm x", "rm x"],
    ["exec -a ls rm x", "rm x"],
    ["builtin eval 'rm x'", "eval rm x", "rm x"],
  ]),
  wrapper("command", { unless: "-v -V" }, [["command rm x", "rm x"], ["command -p rm x", "rm x"], ["command -v rm"]]),
  wrapper("stdbuf", { values: "-i -o -e --input --output --error" }, [["stdbuf -oL -e 0 rm x", "rm x"]]),
  wrapper("chroot", { values: "--userspec --groups", skip: 1 }, [["chroot --userspec=a / rm x", "rm x"]]),
  wrapper(
    "unshare",
    { values: "-S --setuid -G --setgid -R --root -w --wd --map-user --map-group --propagation --setgroups" },
    [["unshare -r -n rm x", "rm x"]],
  ),
  wrapper("nsenter", { values: "-t --target -S --setuid -G --setgid", optional: "-m -u -i -n -p -U -C -T -r -w" }, [
    ["nsenter -t 1 -m rm x", "rm x"],
  ]),
  wrapper("strace ltrace", { values: "-o -e -p -u -s -E -a -P -S -I -b -X -O -n -l --trace --output" }, [
    ["strace -f -e trace=file -o y rm x", "rm x"],
  ]),
  wrapper("taskset", { skip: 1, unless: "-p --pid" }, [["taskset -c 0,1 rm x", "rm x"]]),
  wrapper("chrt", { values: "-T -P -D", skip: 1, unless: "-p -m" }, [["chrt -i 0 rm x", "rm x"]]),
  wrapper("prlimit", { values: "-p --pid -o --output", unless: "-p --pid" }, [["prlimit --nproc=1 rm x", "rm x"]]),
  wrapper("setarch", { skip: 1 }, [["setarch x86_64 rm x", "rm x"]]),
  wrapper(
    "linux32 linux64 catchsegv fakeroot unbuffer valgrind dbus-run-session torsocks firejail caffeinate eatmydata chronic ifne",
    {},
    [
      ["fakeroot rm x", "rm x"],
      ["eatmydata -- rm x", "rm x"],
      ["chronic -ve rm x", "rm x"],
      ["ls | ifne -n rm x", "rm x"],
    ],
  ),
  wrapper("xvfb-run rlwrap proxychains proxychains4 numactl", { values: "-e -f -n -p -s -w -C -N -m" }, [
    ["xvfb-run -s 'a b' rm x", "rm x"],
  ]),
  wrapper(
    "systemd-run systemd-inhibit",
    {
      values:
        "-u --unit -p --property -E --setenv -M --machine -H --host --what --who --why --mode --uid --gid --slice",
    },
    [["systemd-run --user -p A=b rm x", "rm x"]],
  ),
  innerRow(
    "sudo doas pkexec run0",
    [
      ["sudo rm x", "rm x"],
      ["sudo -u root A=b rm x", "rm x"],
      ["sudo -n -- rm x", "rm x"],
      ["doas -u root rm x", "rm x"],
      ["pkexec --user root rm x", "rm x"],
      ["sudo sh -c 'rm x'", "sh -c rm x", "rm x"],
      ["sudo -l"],
    ],
    ({ args }) => {
      const read = readLoose(args, { values: sudoValues, stand: "before operands" });
      return innerCommand(withoutAssignments(read.operands), read.value("-D", "--chdir"));
    },
  ),
  innerRow(
    "su runuser sg",
    [
      ["su -c 'rm x'", "rm x"],
      ["su - root -c 'rm x'", "rm x"],
      ["runuser -u root -- rm x", "rm x"],
      ["sg root 'rm x'", "rm x"],
      ["su root"],
    ],
    ({ name, args }) => {
      const read = readLoose(args, {
        values: "-c --command -s --shell -g --group -G --supp-group -u --user -w -C --session-command",
      });
      const script = innerScript(read.value("-c", "--command", "-C", "--session-command"));
      if (script.length > 0) return script;
      if (name === "runuser" && read.has("-u", "--user")) return innerCommand(read.operands);
      return name === "sg" ? innerScript(read.operands[1]) : [];
    },
  ),
  innerRow(
    "xargs gxargs",
    [
      ["xargs rm -f", "rm -f …"],
      ["xargs -0 -n 1 rm", "rm …"],
      ["xargs -I{} rm x/{} y", "rm … y"],
      ["xargs -I {} sh -c 'rm {}'", "sh -c …", "rm …"],
      ["xargs --max-args=1 -P4 rm", "rm …"],
      ["xargs"],
    ],
    ({ args }) => {
      const read = readLoose(args, {
        values:
          "-I -L -n --max-args -P --max-procs -s --max-chars -d --delimiter -E -a --arg-file --process-slot-var -J -R -S",
        optional: "-i --replace -e --eof -l --max-lines",
        stand: "before operands",
      });
      const mark = read.has("-I", "-i", "--replace", "-J")
        ? (read.value("-I", "-i", "--replace", "-J")?.text ?? "{}")
        : null;
      return innerCommand(mark === null || mark === "" ? withLater(read.operands) : withMark(read.operands, mark));
    },
  ),
  innerRow(
    "find gfind fd fdfind",
    [
      ["find . -exec rm {} +", "rm …"],
      ["find . -name x -execdir rm -f {} ';' -ok cat y ';'", "rm -f …", "cat y"],
      ["find . -exec sh -c 'rm \"$1\"' _ {} ';'", 'sh -c rm "$1" _ …', "rm …"],
      ["fd x -x rm", "rm …"],
      ["find . -name rm"],
    ],
    ({ name, args }) => (name.startsWith("fd") ? readFd(args) : readFindCommands(args)),
  ),
  innerRow(
    "parallel",
    [
      ["parallel rm {} ::: a b", "rm …"],
      ["parallel -j 4 'rm -f {}' ::: a", "rm -f …"],
      ["parallel rm", "rm …"],
    ],
    ({ args }) => {
      const read = readLoose(args, {
        values: "-j --jobs -N -n -L -a --arg-file -S --delay --timeout --joblog --colsep -I --tmpdir",
        stand: "before operands",
      });
      const end = read.operands.findIndex(({ text }) => text?.startsWith(":::") === true);
      const words = end < 0 ? read.operands : read.operands.slice(0, end);
      if (words.length === 0) return [unknownInner];
      const marked = words.some(({ text }) => text?.includes("{") === true) ? withMark(words, "{}") : withLater(words);
      return innerScript(joinedScript(marked));
    },
  ),
  innerRow(
    "watch entr",
    [
      ["watch -n 1 rm x", "rm x"],
      ["watch -x rm x", "rm x"],
      ["watch 'rm x; ls'", "rm x", "ls"],
      ["ls | entr -r rm x", "rm x"],
    ],
    ({ name, args }) => {
      const read = readLoose(args, { values: "-n --interval -q --equexit -s --shotsdir", stand: "before operands" });
      const isDirect = name === "entr" ? !read.has("-s") : read.has("-x", "--exec");
      return isDirect || read.operands.length === 0
        ? innerCommand(read.operands)
        : innerScript(joinedScript(read.operands));
    },
  ),
  innerRow("flock", [["flock x rm y", "rm y"], ["flock -n x -c 'rm y'", "rm y"], ["flock 9"]], ({ args }) => {
    const read = readLoose(args, { values: "-w --timeout -E --conflict-exit-code", stand: "before operands" });
    const behind = read.operands.slice(1);
    if (/^(?:-c|--command)$/.test(behind[0]?.text ?? "")) return innerScript(behind[1]);
    return innerCommand(behind);
  }),
  innerRow(
    "script",
    [
      ["script -q -c 'rm x' log", "rm x"],
      ["script -qc 'rm x'", "rm x"],
    ],
    ({ args }) =>
      innerScript(readLoose(args, { values: "-c --command -I -O -B -T -E -o -m" }).value("-c", "--command")),
  ),
  wrapper("busybox toybox", { unless: "--list --help --install" }, [
    ["busybox rm x", "rm x"],
    ["busybox sh -c 'rm x'", "sh -c rm x", "rm x"],
  ]),
  innerRow(
    "uv poetry pipenv bundle npm pnpm yarn npx bunx rye hatch",
    [
      ["uv run rm x", "rm x"],
      ["bundle exec rm x", "rm x"],
      ["npm exec -- rm x", "rm x"],
      ["npx rm x", "rm x"],
      ["npm install x"],
    ],
    ({ name, args }) => {
      const read = readLoose(args, {
        values: "-p --package --with --python --project --directory --prefix -C -c --call",
        stand: "before operands",
      });
      if (/^(?:npx|bunx)$/.test(name))
        return [...innerCommand(read.operands), ...innerScript(read.value("-c", "--call"))];
      const [verb, ...rest] = read.operands;
      if (!/^(?:run|exec|x|dlx)$/.test(verb?.text ?? "") || (verb?.text === "run" && /^p?npm$|^yarn$/.test(name)))
        return [];
      return innerCommand(
        readLoose(rest, { values: "-p --package --with --python --project", stand: "before operands" }).operands,
      );
    },
  ),
  ...launcherInner,
  ...optionInner,
  ...codeInner,
  ...shellInner,
  ...gitInner,
];

const rowsByName: ReadonlyMap<string, InnerRow> = new Map(
  innerRows.flatMap((row) => row.names.map((name) => [name, row] as const)),
);

export function innerCommands(command: RiskyCommand): readonly Inner[] {
  // `vim.basic`, `python3.11`, `ld-linux-x86-64.so.2`: the name before the dot.
  const [stem = ""] = command.name.split(".", 1);
  return (rowsByName.get(command.name) ?? rowsByName.get(stem))?.read(command) ?? [];
}

function withoutAssignments(words: readonly CommandWord[]): readonly CommandWord[] {
  const start = words.findIndex(({ text }) => text === null || !/^[^=/]*=/.test(text));
  return start < 0 ? [] : words.slice(start);
}

function readEnv(args: readonly CommandWord[], depth = 0): Inner[] {
  const read = readLoose(args, {
    values: "-u --unset -C --chdir -S --split-string -a --argv0 -P",
    optional: "--block-signal --default-signal --ignore-signal",
    last: "-S --split-string",
    stand: "before operands",
  });
  const split = read.value("-S", "--split-string");
  if (split !== null) {
    const words = split.text === null || depth > 4 ? null : splitWords(split.text);
    return words === null ? [unknownInner] : readEnv([...words, ...read.operands], depth + 1);
  }
  const operands = read.operands[0]?.text === "-" ? read.operands.slice(1) : read.operands;
  const command = withoutAssignments(operands);
  const set = operands.slice(0, operands.length - command.length).flatMap(({ text }) => {
    const equals = text?.indexOf("=") ?? -1;
    return text === null || equals < 0 ? [] : assignedInner(text.slice(0, equals), knownWord(text.slice(equals + 1)));
  });
  return [...innerCommand(command, read.value("-C", "--chdir")), ...set];
}

/** As env -S would; null: it holds what env reads in ways of its own. */
function splitWords(text: string): CommandWord[] | null {
  const found = text.match(/(?:[^\s"'$\\#]|"[^"$\\]*"|'[^'\\]*')+|\S/g) ?? [];
  if (found.some((word) => /^["'$\\#]$/.test(word))) return null;
  return found.map((word) => knownWord(word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2")));
}

function readFindCommands(args: readonly CommandWord[]): Inner[] {
  const found: Inner[] = [];
  for (let at = 0; at < args.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(args[at]?.text ?? "")) continue;
    let end = at + 1;
    while (end < args.length && args[end]?.text !== ";" && !(args[end]?.text === "+" && args[end - 1]?.text === "{}"))
      end++;
    found.push(...innerCommand(withMark(args.slice(at + 1, end), "{}")));
    at = end;
  }
  return found;
}

function readFd(args: readonly CommandWord[]): Inner[] {
  const at = args.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text ?? ""));
  if (at < 0) return [];
  const words = args.slice(at + 1);
  return innerCommand(words.some(({ text }) => text?.includes("{}")) ? withMark(words, "{}") : withLater(words));
}
