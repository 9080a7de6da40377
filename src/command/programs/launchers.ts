// Programs that start another one behind a verb or an option of their own: version managers, secret managers, watchers,
// containers of this machine, starters of daemons.

import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { startCommand, startScript, verbStarting, withMoreWords } from "../rules/start-rule.ts";
import { commandAfterLongOptions } from "./assignments.ts";

export const launchers: readonly Program[] = [
  program(
    "doppler infisical op dotenvx dotenv aws-vault chamber teller distrobox toolbox samply flamegraph cpulimit lerna reflex onchange watchexec nodemon concurrently",
    {
      starts: ({ name, args }) => {
        const at = args.findIndex(({ text }) => text === "--");
        const read = readOptions(at < 0 ? args : args.slice(0, at), {
          values: "-x --exec -e --exts -w --watch -n --names -c",
        });
        if (name === "concurrently") return read.operands.flatMap((script) => startScript(script));
        const script = read.value("-x", "--exec");
        if (name === "nodemon" && script !== null) return startScript(withMoreWords(script));
        return at >= 0 ? startCommand(args.slice(at + 1)) : name === "watchexec" ? startCommand(read.operands) : [];
      },
    },
  ),
  program("cross-env cross-env-shell", {
    starts: ({ args }) => {
      const words = commandAfterLongOptions(args);
      return words.length === 1 ? startScript(words[0]) : startCommand(words);
    },
  }),
  program("bwrap", {
    starts: ({ args }) => {
      const two =
        /^--(?:(?:ro-|dev-)?bind(?:-try|-fd)?|ro-bind-fd|setenv|symlink|file|bind-data|ro-bind-data|chmod|overlay)$/;
      const none =
        /^--(?:unshare-[a-z-]*|share-net|clearenv|die-with-parent|as-pid-1|new-session|disable-userns|assert-userns-disabled|level-prefix)$/;
      let at = 0;
      while (at < args.length && (args[at]?.text ?? "").startsWith("--") && args[at]?.text !== "--")
        at += two.test(args[at]?.text ?? "") ? 3 : none.test(args[at]?.text ?? "") ? 1 : 2;
      return startCommand(args.slice(args[at]?.text === "--" ? at + 1 : at));
    },
  }),
  program("direnv", {
    starts: verbStarting(/^exec$/, { skip: 1 }),
  }),
  program("asdf rbenv pyenv nodenv goenv rustup nvm volta fnm rvm", {
    starts: verbStarting(/^(?:exec|run)$/, { options: { values: "--using" } }),
  }),
  program("mise rtx", {
    starts: ({ args }) => {
      const [verb, ...rest] = args;
      if (!/^(?:exec|x)$/.test(verb?.text ?? "")) return [];
      const end = rest.findIndex(({ text }) => text === "--");
      const command =
        end < 0
          ? readOptions(rest, { values: "-c --command -C --cd -j --jobs", stand: "before operands" }).operands
          : rest.slice(end + 1);
      return [
        ...startCommand(command),
        ...startScript(readOptions(rest, { values: "-c --command" }).value("-c", "--command")),
      ];
    },
  }),
  program("start-stop-daemon", {
    starts: ({ args }) => {
      const read = readOptions(args, {
        values:
          "-x --exec -a --startas -p --pidfile -n --name -u --user -c --chuid -d --chdir -r --chroot -k --umask -N --nicelevel -P --procsched -I --iosched -s --signal -R --retry -O --output",
        switches: "--start --stop --status --background --make-pidfile",
      });
      const program = read.value("-a", "--startas") ?? read.value("-x", "--exec");
      return program === null || !read.has("-S", "--start") ? [] : startCommand([program, ...read.operands]);
    },
  }),
  program("nix-shell nix guix", {
    starts: ({ args }) => {
      const at = args.findIndex(({ text }) => /^(?:--run|--command|-c|--)$/.test(text ?? ""));
      if (at < 0) return [];
      return /^--(?:run|command)$/.test(args[at]?.text ?? "") && args.length === at + 2
        ? startScript(args[at + 1])
        : startCommand(args.slice(at + 1));
    },
  }),
];
