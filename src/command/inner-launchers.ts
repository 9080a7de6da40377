// Programs whose purpose is to start another one, behind a word or an option of their own: version managers, tracers,
// containers of this machine, daemons' starters.

import { type CommandWord, unknownWord } from "./command-word.ts";
import { innerCommand, innerRow, type InnerRow, joinedScript, innerScript, wrapper, withMore } from "./inner-row.ts";
import { type LooseSpec, readLoose } from "./loose-options.ts";

/** A verb, options, some operands, then a command. */
function verbed(
  names: string,
  verbs: RegExp,
  { before, behind, skip = 0 }: { readonly before?: LooseSpec; readonly behind?: LooseSpec; readonly skip?: number },
  examples: InnerRow["examples"],
): InnerRow {
  return innerRow(names, examples, ({ args }) => {
    const [verb, ...rest] = readLoose(args, { ...before, stand: "before operands" }).operands;
    if (!verbs.test(verb?.text ?? "")) return [];
    return innerCommand(readLoose(rest, { ...behind, stand: "before operands" }).operands.slice(skip));
  });
}

export const launcherInner: readonly InnerRow[] = [
  wrapper(
    "tini dumb-init catatonit nocache tsocks torify trickle ssh-agent heaptrack sshpass",
    {
      values: "-p -e -t -a -k -g -f -d -u -s -c -P -o",
    },
    [
      ["tini -g -- rm x", "rm x"],
      ["sshpass -p y rm x", "rm x"],
    ],
  ),
  wrapper("gosu su-exec setuidgid s6-setuidgid s6-envdir envdir cgexec", { values: "-g", skip: 1 }, [
    ["gosu nobody rm x", "rm x"],
    ["envdir e rm x", "rm x"],
  ]),
  innerRow(
    "doppler infisical op dotenvx dotenv aws-vault chamber teller distrobox toolbox samply flamegraph cpulimit lerna reflex onchange watchexec nodemon concurrently",
    [
      ["doppler run -- rm x", "rm x"],
      ["aws-vault exec p -- rm x", "rm x"],
      ["watchexec -e ts rm x", "rm x"],
      ["nodemon --exec 'rm x' a.js", "rm x …"],
      ["concurrently 'rm x' 'ls y'", "rm x", "ls y"],
      ["op item list"],
    ],
    ({ name, args }) => {
      const at = args.findIndex(({ text }) => text === "--");
      const read = readLoose(at < 0 ? args : args.slice(0, at), {
        values: "-x --exec -e --exts -w --watch -n --names -c",
      });
      if (name === "concurrently") return read.operands.flatMap((script) => innerScript(script));
      if (name === "nodemon" && read.value("-x", "--exec") !== null)
        return innerScript(withMore(read.value("-x", "--exec") ?? unknownWord));
      return at >= 0 ? innerCommand(args.slice(at + 1)) : name === "watchexec" ? innerCommand(read.operands) : [];
    },
  ),
  innerRow(
    "cross-env cross-env-shell",
    [
      ["cross-env A=b rm x", "rm x"],
      ["cross-env-shell 'rm x; ls'", "rm x"],
    ],
    ({ args }) => {
      const words = afterAssignments(args);
      return words.length === 1 ? innerScript(words[0]) : innerCommand(words);
    },
  ),
  wrapper("faketime datefudge", { values: "-p --pid", skip: 1 }, [["faketime -f '2020-01-01' rm x", "rm x"]]),
  wrapper(
    "setpriv",
    {
      values:
        "--ambient-caps --inh-caps --bounding-set --ruid --euid --rgid --egid --reuid --regid --groups --securebits --pdeathsig --selinux-label --apparmor-profile",
    },
    [["setpriv --no-new-privs --reuid 0 rm x", "rm x"]],
  ),
  wrapper("proot fakechroot", { values: "-r --rootfs -b --bind -q --qemu -w --cwd -R -S --kill-on-exit" }, [
    ["proot -r / -b /a:/b rm x", "rm x"],
  ]),
  innerRow(
    "bwrap",
    [
      ["bwrap --ro-bind / / --chdir / --unshare-net rm x", "rm x"],
      ["bwrap --dev /dev -- rm x", "rm x"],
    ],
    ({ args }) => {
      const two =
        /^--(?:(?:ro-|dev-)?bind(?:-try|-fd)?|ro-bind-fd|setenv|symlink|file|bind-data|ro-bind-data|chmod|overlay)$/;
      const none =
        /^--(?:unshare-[a-z-]*|share-net|clearenv|die-with-parent|as-pid-1|new-session|disable-userns|assert-userns-disabled|level-prefix)$/;
      let at = 0;
      while (at < args.length && (args[at]?.text ?? "").startsWith("--") && args[at]?.text !== "--")
        at += two.test(args[at]?.text ?? "") ? 3 : none.test(args[at]?.text ?? "") ? 1 : 2;
      return innerCommand(args.slice(args[at]?.text === "--" ? at + 1 : at));
    },
  ),
  wrapper(
    "ld-linux-x86-64 ld-linux-aarch64 ld-linux-armhf ld-linux ld-musl-x86_64 ld-musl-aarch64 ld64 ld.so",
    {
      values: "--library-path --preload --argv0 --audit --inhibit-rpath --glibc-hwcaps-prepend --glibc-hwcaps-mask",
      unless: "--list --verify --list-tunables --list-diagnostics --help --version",
    },
    [
      ["/lib64/ld-linux-x86-64.so.2 /bin/rm x", "/bin/rm x"],
      ["/lib64/ld-linux-x86-64.so.2 --library-path /a /bin/rm x", "/bin/rm x"],
      ["/lib64/ld-linux-x86-64.so.2 --list /bin/rm"],
    ],
  ),
  verbed(
    "perf",
    /^(?:stat|record|trace|mem|c2c|ftrace|kvm|sched|lock)$/,
    {
      behind: {
        values:
          "-e --event -o --output -p --pid -t --tid -r --repeat -C --cpu -F --freq -c --count -x -I --call-graph -m --delay",
      },
    },
    [["perf stat -e cycles -r 3 rm x", "rm x"], ["perf record -g -- rm x", "rm x"], ["perf list"]],
  ),
  verbed("direnv", /^exec$/, { skip: 1 }, [["direnv exec . rm x", "rm x"], ["direnv allow"]]),
  verbed(
    "conda mamba micromamba pixi",
    /^run$/,
    { behind: { values: "-n --name -p --prefix --cwd -e --environment --manifest-path" } },
    [["conda run -n a rm x", "rm x"], ["conda run --no-capture-output rm x", "rm x"], ["conda install x"]],
  ),
  verbed(
    "asdf rbenv pyenv nodenv goenv rustup nvm volta fnm rvm",
    /^(?:exec|run)$/,
    { behind: { values: "--using" } },
    [["asdf exec rm x", "rm x"], ["pyenv exec rm x", "rm x"], ["asdf list"]],
  ),
  innerRow(
    "mise rtx",
    [["mise exec node@20 -- rm x", "rm x"], ["mise x -c 'rm x'", "rm x"], ["mise ls"]],
    ({ args }) => {
      const [verb, ...rest] = args;
      if (!/^(?:exec|x)$/.test(verb?.text ?? "")) return [];
      const end = rest.findIndex(({ text }) => text === "--");
      const command =
        end < 0
          ? readLoose(rest, { values: "-c --command -C --cd -j --jobs", stand: "before operands" }).operands
          : rest.slice(end + 1);
      return [
        ...innerCommand(command),
        ...innerScript(readLoose(rest, { values: "-c --command" }).value("-c", "--command")),
      ];
    },
  ),
  innerRow(
    "cmake",
    [
      ["cmake -E env A=b rm x", "rm x"],
      ["cmake -E time rm x", "rm x"],
      ["cmake -E chdir /tmp rm x", "rm x"],
      ["cmake -S . -B build"],
      ["cmake -E make_directory x"],
    ],
    ({ args }) => {
      const [mode, verb, ...rest] = args;
      if (mode?.text !== "-E") return [];
      if (verb?.text === "env") return innerCommand(afterAssignments(rest));
      if (verb?.text === "time") return innerCommand(rest);
      return verb?.text === "chdir" ? innerCommand(rest.slice(1), rest[0] ?? null) : [];
    },
  ),
  innerRow(
    "start-stop-daemon",
    [
      ["start-stop-daemon --start --exec /bin/rm -- x", "/bin/rm x"],
      ["start-stop-daemon -S -b -a /bin/rm -- x", "/bin/rm x"],
      ["start-stop-daemon --stop --pidfile x"],
    ],
    ({ args }) => {
      const read = readLoose(args, {
        values:
          "-x --exec -a --startas -p --pidfile -n --name -u --user -c --chuid -d --chdir -r --chroot -k --umask -N --nicelevel -P --procsched -I --iosched -s --signal -R --retry -O --output",
        switches: "--start --stop --status --background --make-pidfile",
      });
      const program = read.value("-a", "--startas") ?? read.value("-x", "--exec");
      return program === null || !read.has("-S", "--start") ? [] : innerCommand([program, ...read.operands]);
    },
  ),
  innerRow(
    "hyperfine",
    [
      ["hyperfine -w 3 'rm x' 'ls y'", "rm x", "ls y"],
      ["hyperfine --prepare 'rm x' ls", "rm x", "ls"],
    ],
    ({ args }) => {
      const scripts = "-p --prepare -s --setup -c --cleanup -C --conclude";
      const read = readLoose(args, {
        values: `${scripts} -w --warmup -m --min-runs -M --max-runs -r --runs -S --shell -u --time-unit -n --command-name -P --parameter-scan -L --parameter-list --export-json --export-csv --export-markdown --output --input --style --sort`,
      });
      return [...read.operands, ...read.valuesOf(...scripts.split(" "))].flatMap((script) => innerScript(script));
    },
  ),
  innerRow(
    "nix-shell nix guix",
    [
      ["nix-shell -p x --run 'rm x'", "rm x"],
      ["nix develop -c rm x", "rm x"],
      ["guix shell x -- rm y", "rm y"],
      ["nix build"],
    ],
    ({ args }) => {
      const at = args.findIndex(({ text }) => /^(?:--run|--command|-c|--)$/.test(text ?? ""));
      if (at < 0) return [];
      return /^--(?:run|command)$/.test(args[at]?.text ?? "") && args.length === at + 2
        ? innerScript(args[at + 1])
        : innerCommand(args.slice(at + 1));
    },
  ),
  innerRow(
    "at batch",
    [["echo 'rm x' | at now", "rm x"], ["at now <<< 'rm x'", "rm x"], ["at -l"]],
    ({ args, hasInput }) => (hasInput && !readLoose(args).has("-l", "-d", "-r") ? [{ kind: "input" }] : []),
  ),
  innerRow("tmux", [["tmux new -d 'rm x'", "rm x"], ["tmux run-shell 'rm x'", "rm x"], ["tmux ls"]], ({ args }) => {
    const [verb, ...rest] = readLoose(args, { values: "-c -f -L -S -T", stand: "before operands" }).operands;
    if (!/^(?:new.*|neww|split-?w.*|run.*|if.*|respawn.*|pipe.*|popup|display-popup)$/.test(verb?.text ?? ""))
      return [];
    const { operands } = readLoose(rest, { values: "-c -e -F -f -n -s -t -x -y -l -p", stand: "before operands" });
    return operands.length === 0 ? [] : innerScript(joinedScript(operands));
  }),
  wrapper("screen", { values: "-S -c -e -h -p -s -t -T", unless: "-X -Q -ls -list -r -R -x" }, [
    ["screen -dmS a rm x", "rm x"],
    ["screen -ls"],
  ]),
  innerRow("run-parts", [["run-parts x", "…"], ["run-parts --list x"], ["run-parts --test x"]], ({ args }) =>
    readLoose(args).has("--list", "--test") ? [] : [{ kind: "unknown" }],
  ),
];

function afterAssignments(words: readonly CommandWord[]): readonly CommandWord[] {
  const start = words.findIndex(({ text }) => text === null || !(text.startsWith("--") || text.includes("=")));
  return start < 0 ? [] : words.slice(start);
}
