// Programs that pack and split files, and start others by an option: tar, zip, split.

import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { optionStarting, startPrefixed, startScript, withMoreWords } from "../rules/start-rule.ts";

const tarStarting =
  "-I --use-compress-program --to-command -F --info-script --new-volume-script --rsh-command --rmt-command";
const tarOptions: OptionSpec = {
  values: `${tarStarting} -f --file -C --directory --checkpoint-action -T --files-from -X --exclude-from --exclude -b -L -N -K -g -V --transform --xform --strip-components --owner --group --mode --mtime --newer`,
  optional: "--checkpoint",
};
/** A program that only packs, with options that only change how. */
const packer = /^(?:gzip|pigz|bzip2|pbzip2|xz|pixz|zstd|lz4|lzip|lzma|lzop|zstdmt|compress)( -[\w-]+)*$/;

export const archives: readonly Program[] = [
  program("tar gtar bsdtar", {
    starts: ({ args }) => {
      // The first word may be a cluster without its dash: `tar xfI a …`.
      const [first, ...rest] = args;
      const isBare = first?.text !== null && /^[A-Za-z]+$/.test(first?.text ?? "") && !first?.text?.includes("I");
      const read = readOptions(isBare ? rest : args, tarOptions);
      return [
        ...read
          .valuesOf(...tarStarting.split(" "))
          .filter(({ text }) => !packer.test(text ?? ""))
          .flatMap((command) => startScript(withMoreWords(command))),
        ...startPrefixed(read.valuesOf("--checkpoint-action"), /^exec=/),
      ];
    },
  }),
  program("zip", {
    starts: optionStarting({ values: "-TT -unzip-command", longNames: "one dash" }, "-TT -unzip-command"),
  }),
  program("split gsplit", {
    starts: optionStarting(
      {
        values:
          "-a --suffix-length -b --bytes -C --line-bytes -l --lines -n --number -t --separator --additional-suffix --filter",
      },
      "--filter",
    ),
  }),
];
