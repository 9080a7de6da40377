// Ways in which a script runs touch: those of the report, and others of the kind. Each makes the file M where it starts.

export interface Form {
  readonly name: string;
  readonly script: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** False: only the box holds it. */
  readonly isSeen?: false;
}

const variable = { n: "a[$(touch M)]" };
const evaluated: readonly string[] = [
  "echo $((n))",
  "(( n ))",
  "let n",
  "[[ $n -eq 1 ]]",
  '[ -v "$n" ]',
  'printf -v "$n" x',
  'read "$n" <<< x',
  "x=(1 2); echo ${x[n]}",
  "echo ${HOME:n}",
  "a[n]=1",
  "a=([n]=1)",
  "for ((;n;)); do break; done",
  "bash -c 'echo $((n))'",
  'test -v "$n"',
];

export const forms: readonly Form[] = [
  ...evaluated.map((script) => ({ name: `the call's env: ${script}`, script, env: variable })),
  { name: "the call's env: a prompt", script: 'echo "${n@P}"', env: { n: "$(touch M)" } },
  { name: "an integer", script: "declare -i n; n='a[$(touch M)]'" },
  { name: "an exported variable", script: "export n='a[$(touch M)]'; bash -c 'echo $((n))'" },
  { name: "awk's system", script: `awk 'BEGIN{system("touch M")}'` },
  { name: "awk's pipe", script: `awk 'BEGIN{print "touch M" | "sh"}'` },
  { name: "awk's getline", script: `awk 'BEGIN{"touch M" | getline}'` },
  { name: "sed's e", script: "echo x | sed '1e touch M'" },
  { name: "sed's e flag", script: "echo x | sed 's/.*/touch M/e'" },
  { name: "sed behind a w", script: "echo x | sed -e 'w out' -e '1e touch M'" },
  { name: "tar's checkpoint", script: "echo > a; tar cf a.tar a --checkpoint=1 --checkpoint-action=exec='touch M'" },
  { name: "tar's to-command", script: "echo > a; tar cf a.tar a; tar xf a.tar --to-command='touch M'" },
  { name: "tar's compressor", script: "echo > a; tar -I 'touch M' -cf a.tar a; test -e M" },
  { name: "split's filter", script: "echo x | split --filter='touch M'" },
  { name: "the loader", script: "/lib64/ld-linux-x86-64.so.2 /usr/bin/touch M" },
  { name: "a link", script: "ln -s /usr/bin/touch t; ./t M" },
  { name: "a linked directory", script: "ln -s /usr/bin d; d/touch M" },
  { name: "a copy", script: "cp /usr/bin/touch t; ./t M" },
  { name: "a copy in the search path", script: "mkdir b; cp /usr/bin/touch b/t; PATH=$PWD/b:$PATH; t M" },
  { name: "an installed copy", script: "install /usr/bin/touch t; ./t M" },
  {
    name: "git's fsmonitor",
    script: "git init -q r && cd r && git config core.fsmonitor 'touch ../M; false' && git status",
  },
  { name: "git's alias", script: "git -c alias.x='!touch M' x" },
  {
    name: "git's editor",
    script:
      "git init -q r && cd r && GIT_EDITOR='touch ../M; true' git -c user.name=a -c user.email=b commit --allow-empty; true",
  },
  {
    name: "env's variable",
    script:
      "git init -q r && cd r && env EDITOR='touch ../M; true' git -c user.name=a -c user.email=b commit --allow-empty; true",
  },
  { name: "a pipe into a shell", script: "echo 'touch M' | sh" },
  { name: "vim", script: "vim -es -c '!touch M' -c q; true" },
  { name: "vim's input", script: "ex -s a", stdin: "!touch M\nq!\n" },
  { name: "ed", script: "echo > a; ed -s a", stdin: "!touch M\nq\n" },
  { name: "make", script: "make -f /dev/stdin", stdin: "all:\n\t@touch M\n" },
  { name: "make's eval", script: "make --eval='x:=$(shell touch M)' --eval='all: ;' all" },
  { name: "perl", script: `perl -e 'system("touch", "M")'` },
  { name: "python", script: `python3 -c 'import os; os.system("touch M")'` },
  { name: "python's input", script: "python3 - <<'E'\nimport subprocess\nsubprocess.run(['touch', 'M'])\nE" },
  { name: "cmake", script: "cmake -E env A=b touch M" },
  { name: "start-stop-daemon", script: "/usr/sbin/start-stop-daemon --start --chdir $PWD --exec /usr/bin/touch -- M" },
  { name: "setpriv", script: "setpriv --no-new-privs touch M" },
  { name: "sqlite", script: "sqlite3 :memory: '.shell touch M'" },
  { name: "gdb", script: "gdb -nx -batch -ex 'shell touch M'" },
  { name: "run-parts", script: "mkdir p; printf '#!/bin/sh\\ntouch M\\n' > p/x; chmod +x p/x; run-parts p" },
  { name: "a script of its own", script: "printf 'touch M' > s; bash s", isSeen: false },
  {
    name: "a program of its own",
    script:
      "printf '#!/usr/bin/touch\\n' > M2; chmod +x M2; cp M2 M3; ./M2; printf '#!/bin/sh\\ntouch M\\n' > s; chmod +x s; ./s",
    isSeen: false,
  },
  { name: "a Makefile", script: "printf 'all:\\n\\ttouch M\\n' > Makefile; make", isSeen: false },
  { name: "decoded text", script: "echo dG91Y2ggTQ== | base64 -d > s; sh ./s", isSeen: false },
];

/** Judged, not run: these programs are not on every machine. */
export const notInstalled: readonly (readonly [script: string, env?: Readonly<Record<string, string>>])[] = [
  ["faketime '2020-01-01' touch M"],
  ["eatmydata touch M"],
  ["chronic touch M"],
  ["echo x | ifne touch M"],
  ["hyperfine 'touch M'"],
  ["perf stat -e cycles touch M"],
  ["direnv exec . touch M"],
  ["conda run -n base touch M"],
  ["mise exec node@20 -- touch M"],
  ["mise x -- touch M"],
  ["asdf exec touch M"],
  ["proot -r / touch M"],
  ["bwrap --bind / / touch M"],
  ["firejail touch M"],
  ["systemd-run --user touch M"],
  ["unshare -r touch M"],
  ["runuser -u nobody -- touch M"],
  ["nix-shell -p hello --run 'touch M'"],
  ["uv run touch M"],
  ["poetry run touch M"],
  ["pipenv run touch M"],
  ["bundle exec touch M"],
  ["npx touch M"],
  ["pnpm exec touch M"],
  ["yarn exec touch M"],
  ["busybox touch M"],
  [`ruby -e 'system("touch M")'`],
  [`node -e 'require("child_process").execSync("touch M")'`],
  [`php -r 'system("touch M");'`],
  ["gawk -e 'BEGIN{system(\"touch M\")}'"],
  ["nvim --headless +'!touch M' +qa"],
  ["tini -- touch M"],
  ["gosu nobody touch M"],
  ["doppler run -- touch M"],
  ["cross-env A=b touch M"],
  ["concurrently 'touch M'"],
  ["watchexec touch M"],
  ["zip -T -TT 'touch M' a.zip a"],
  ["man -P 'touch M' ls"],
  ["rsync -e 'touch M' a h:b"],
  ["ssh -o ProxyCommand='touch M' h ls"],
];
