// Programs that start what one of their options names: as a command line, for a shell or nearly so.

import { type CommandWord, knownWord } from "./command-word.ts";
import { type Inner, innerRow, type InnerRow, innerScript, unknownInner, withMore } from "./inner-row.ts";
import { readLoose } from "./loose-options.ts";

/** Options that take a command line; `values`: the others that take a value. The program may add words of its own. */
function starting(
  names: string,
  options: string,
  values: string,
  examples: InnerRow["examples"],
  isWhole = false,
): InnerRow {
  const started = options.split(" ");
  return innerRow(names, examples, ({ args }) =>
    readLoose(args, { values: `${options} ${values}`, ...(isWhole ? { names: "whole" } : {}) })
      .valuesOf(...started)
      .flatMap((command) => innerScript(withMore(command))),
  );
}

/** `exec=CMD` and the like, in a value. */
function prefixed(words: readonly CommandWord[], prefix: RegExp): Inner[] {
  return words.flatMap(({ text }) => {
    const found = prefix.exec(text ?? "");
    return found === null ? [] : innerScript(knownWord((text as string).slice(found[0].length)));
  });
}

export const optionInner: readonly InnerRow[] = [
  innerRow(
    "tar gtar bsdtar",
    [
      ["tar cf x.tar a --checkpoint=1 --checkpoint-action=exec='rm x'", "rm x"],
      ["tar xf x.tar --to-command='rm x'", "rm x …"],
      ["tar -I 'rm x' -cf a.tar b", "rm x …"],
      ["tar xf a --use-compress-program='rm x'", "rm x …"],
      ["tar -cMf a -F 'rm x' b", "rm x …"],
      ["tar -czf x.tgz src --exclude=x"],
      ["tar xf a.tar -C b --checkpoint-action=dot"],
    ],
    ({ args }) => {
      // `tar xfI a …`: the first word may be a cluster without its dash.
      const [first, ...rest] = args;
      const isBare = first?.text !== null && /^[A-Za-z]+$/.test(first?.text ?? "") && !first?.text?.includes("I");
      const read = readLoose(isBare ? rest : args, {
        values:
          "-f --file -C --directory -I --use-compress-program --to-command --checkpoint-action -F --info-script --new-volume-script --rsh-command --rmt-command -T --files-from -X --exclude-from --exclude -b -L -N -K -g -V --transform --xform --strip-components --owner --group --mode --mtime --newer",
        optional: "--checkpoint",
      });
      return [
        ...read
          .valuesOf(
            "-I",
            "--use-compress-program",
            "--to-command",
            "-F",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
          )
          .filter(
            ({ text }) =>
              !/^(?:gzip|pigz|bzip2|pbzip2|xz|pixz|zstd|lz4|lzip|lzma|lzop|zstdmt|compress)( -[\w-]+)*$/.test(
                text ?? "",
              ),
          )
          .flatMap((command) => innerScript(withMore(command))),
        ...prefixed(read.valuesOf("--checkpoint-action"), /^exec=/),
      ];
    },
  ),
  starting(
    "split gsplit",
    "--filter",
    "-a --suffix-length -b --bytes -C --line-bytes -l --lines -n --number -t --separator --additional-suffix",
    [["split -l 1 --filter='rm x' a", "rm x …"], ["split -b 10m a b"]],
  ),
  starting(
    "rsync",
    "-e --rsh --rsync-path",
    "--exclude --include -f --filter --files-from --temp-dir -T --log-file --chmod --chown -B -M",
    [["rsync -e 'rm x' a b", "rm x …"], ["rsync -a --delete a/ b/"]],
  ),
  starting("scp sftp", "-S", "-B -c -D -F -i -J -l -o -P -R -s -X", [["scp -S ./x a h:b", "./x …"], ["scp a h:b"]]),
  innerRow(
    "ssh",
    [
      ["ssh -o ProxyCommand='rm x' h ls", "rm x"],
      ["ssh -oLocalCommand='rm x' -oPermitLocalCommand=yes h ls", "rm x"],
      ["ssh -i k h ls"],
    ],
    ({ args }) =>
      prefixed(
        readLoose(args, { values: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -P" }).valuesOf("-o"),
        /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*/i,
      ),
  ),
  starting("zip", "-TT --unzip-command", "", [["zip -T -TT 'rm x' a.zip b", "rm x …"], ["zip -r a.zip b"]], true),
  starting("man", "-P --pager -H --html", "-C -L -m -M -S -s -e -E -p -r", [
    ["man -P 'rm x' ls", "rm x …"],
    ["man ls"],
  ]),
  starting("fzf sk", "--preview --bind", "-q --query -f --filter -d --delimiter -n --nth", [
    ["fzf -f a --preview 'rm x'", "rm x …"],
    ["fzf -f a"],
  ]),
  starting("rg", "--pre --hostname-bin", "-e -f -g -t -T -A -B -C -m -r", [
    ["rg --pre 'rm' a", "rm …"],
    ["rg -n a src"],
  ]),
  starting("sort gsort", "--compress-program", "-k --key -t -o -S -T --parallel", [
    ["sort --compress-program=./x a", "./x …"],
    ["sort -u a"],
  ]),
  innerRow(
    "socat",
    [["socat - EXEC:'rm x',pty", "rm x,pty"], ["socat - SYSTEM:'rm x'", "rm x"], ["socat -V"]],
    ({ args }) => prefixed(args, /^(?:EXEC|SYSTEM|SHELL):/i),
  ),
  innerRow(
    "make gmake",
    [
      ["make -f - <<'E'\nall:\n\t@rm x\nE", "rm x"],
      ["make -f /dev/stdin <<'E'\nall: ; rm x\nE", "rm x"],
      ["make --eval='$(shell rm x)'", "rm x"],
      ["make -j4 test"],
      ["make -C sub CFLAGS=-O2"],
    ],
    ({ args }) => {
      const read = readLoose(args, {
        values: "-f --file --makefile -C --directory -E --eval -I --include-dir -o --old-file -W --what-if",
        optional: "-j --jobs -l --load-average -O --output-sync",
      });
      const files = read.valuesOf("-f", "--file", "--makefile");
      return [
        ...(files.some(({ text }) => text === "-" || text === "/dev/stdin")
          ? [{ kind: "input", read: recipesOf } as const]
          : []),
        ...read.valuesOf("-E", "--eval").flatMap(({ text }) => (text === null ? [unknownInner] : recipesOf(text))),
        ...prefixed(read.operands, /^(?:SHELL|\.SHELLFLAGS)=/).flatMap(() => [unknownInner]),
      ];
    },
  ),
  innerRow(
    "vim vi view nvim ex vimdiff rvim",
    [
      ["vim -es -c '!rm x' -c q", "rm x"],
      ["vim -es +':silent !rm x' +q", "rm x"],
      ["vim -es --cmd 'call system(\"rm x\")'", "…"],
      ["ex -s a <<< '!rm x'", "rm x"],
      ["vim -es -c 'normal x' -c wq a"],
      ["nvim --headless +qa"],
    ],
    ({ args }) => {
      const read = readLoose(args, { values: "-c -S -u -U -i -T -w -W -t -r -q --cmd" });
      const plus = read.operands.flatMap(({ text }) =>
        text?.startsWith("+") === true ? [knownWord(text.slice(1))] : [],
      );
      const commands = [...read.valuesOf("-c", "--cmd"), ...plus].map(({ text }) => text ?? "");
      return [
        ...commands.flatMap(editorInner),
        { kind: "input", read: (text) => text.split("\n").flatMap(editorInner) },
      ];
    },
  ),
  innerRow("ed", [["ed -s a <<< '!rm x'", "rm x"], ["ed -s a <<< '1p'"]], () => [
    { kind: "input", read: (text) => text.split("\n").flatMap(editorInner) },
  ]),
  innerRow(
    "gdb lldb",
    [
      ["gdb -batch -ex 'shell rm x'", "rm x"],
      ["gdb -batch -ex '!rm x'", "rm x"],
      ["gdb --args rm x", "rm x"],
      ["gdb -batch -ex bt -p 1"],
    ],
    ({ args }) => {
      const at = args.findIndex(({ text }) => /^--?args$/.test(text ?? "") || text === "--");
      const read = readLoose(at < 0 ? args : args.slice(0, at), {
        values: "-ex -eval-command -iex -x -command -p -pid -o -O",
        names: "whole",
      });
      const typed = read.valuesOf("-ex", "-eval-command", "-iex", "-o", "-O");
      return [
        ...(at < 0 || args.length === at + 1 ? [] : [{ kind: "command", words: args.slice(at + 1) } as const]),
        ...prefixed(typed, /^\s*(?:shell\s+|!|platform shell\s+|make\s+)/),
      ];
    },
  ),
  innerRow(
    "sqlite3",
    [["sqlite3 a.db '.shell rm x'", "rm x"], ["sqlite3 a.db <<< '.system rm x'", "rm x"], ["sqlite3 a.db 'select 1'"]],
    ({ args }) => {
      const dotted = /^\s*\.(?:sh|she|shell|sys|syst|syste|system)\s+/;
      return [
        ...prefixed(args, dotted),
        { kind: "input", read: (text) => prefixed(text.split("\n").map(knownWord), dotted) },
      ];
    },
  ),
];

/** What a makefile runs: the lines of its recipes, and what it asks a shell for. */
function recipesOf(makefile: string): Inner[] {
  const recipes = [...makefile.matchAll(/^\t[@+-]*(.*)$|^[^\t#=\n]*:[^=\n]*;[ \t]*[@+-]*(.*)$/gm)].map(
    ([, line, behind]) => line ?? behind ?? "",
  );
  const asked = [...makefile.matchAll(/\$[({]shell\s+([^)}]*)/g)].map(([, command]) => command ?? "");
  // A variable of make's is one that nobody knows.
  return [...recipes, ...asked].flatMap((line) => innerScript(knownWord(line.replaceAll(/\$[({](\w+)[)}]/g, "$$$1"))));
}

/** One command of vi's family: `!rm x`, `:silent! r !rm x`, `call system("rm x")`. */
function editorInner(line: string): Inner[] {
  if (
    /\b(?:system|systemlist|job_start|term_start|jobstart|termopen|os\.execute|popen)\s*\(|\bpy(?:thon)?3?x?\b|\bperl\b|\blua\b/.test(
      line,
    )
  )
    return [unknownInner];
  const found =
    /^[\s:]*(?:(?:sil(?:ent)?!?|keepj\w*|noa\w*|exe\w*)\s+)*["']?(?:\d+,?[\d$]*|%|\.|\$)?\s*(?:(?:r(?:ead)?|w(?:rite)?|te(?:rminal)?)\s+)?!+\s*(.*)$/.exec(
      line,
    );
  return found === null ? [] : innerScript(knownWord(found[1] ?? ""));
}
