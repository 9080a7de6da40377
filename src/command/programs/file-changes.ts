// Programs that delete, move, copy and overwrite files, where they lose more than ordinary work does.

import { baseName } from "../../shared/path.ts";
import { criticalPath, isDevice, pathsOf } from "../rules/critical-path.ts";
import { destroy } from "../rules/effect-rule.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import type { CommandLine } from "../words/command-line.ts";
import type { CommandWord } from "../words/command-word.ts";

const isAnyCritical = (command: CommandLine, words: readonly CommandWord[]): boolean =>
  words.some((word) => criticalPath(word, command) !== null);
const isAnyDevice = (command: CommandLine, words: readonly CommandWord[]): boolean =>
  words.some((word) => pathsOf(word, command).some(isDevice));
/** `isWhole`: only a `.git` itself counts, and not what lies in it. */
const isGitDirectory = (command: CommandLine, word: CommandWord, isWhole: boolean): boolean =>
  pathsOf(word, command).some((path) => (isWhole ? baseName(path) === ".git" : /\/\.git(?:\/|$)/.test(path)));
const rmOptions = {
  switches: "--recursive --force --interactive --no-preserve-root --dir --verbose --one-file-system",
};
const moveOptions: OptionSpec = { values: "-t --target-directory -S --suffix" };
const installOptions: OptionSpec = { values: `${moveOptions.values} -m --mode -o --owner -g --group` };

/** All operands but the target. */
function movedWords({ args }: CommandLine): readonly CommandWord[] {
  const read = readOptions(args, moveOptions);
  return read.has("-t", "--target-directory") ? read.operands : read.operands.slice(0, -1);
}

const overwritesDevice = destroy("files", (command) => {
  const { operands } = readOptions(command.args);
  return isAnyDevice(command, /^g?(?:cp|install)$/.test(command.name) ? operands.slice(-1) : operands);
});

export const fileChanges: readonly Program[] = [
  program("rm srm", {
    effects: [
      destroy("files", (command) => {
        const read = readOptions(command.args, rmOptions);
        return read.has("-r", "-R", "--recursive") && isAnyCritical(command, read.operands);
      }),
      destroy("git", (command) => {
        const read = readOptions(command.args, rmOptions);
        const isWhole = !read.has("-r", "-R", "--recursive");
        return read.operands.some((word) => isGitDirectory(command, word, isWhole));
      }),
    ],
  }),
  program("mv", {
    effects: [
      destroy("files", (command) => isAnyCritical(command, movedWords(command))),
      destroy("git", (command) => movedWords(command).some((word) => isGitDirectory(command, word, true))),
    ],
    copies: moveOptions,
  }),
  program("cp", { aliases: "gcp", effects: [overwritesDevice], copies: moveOptions }),
  program("install", { aliases: "ginstall", effects: [overwritesDevice], copies: installOptions }),
  program("ln", { copies: moveOptions }),
  program("link", { copies: {} }),
  program("chmod chown chgrp", {
    effects: destroy("files", (command) => {
      const read = readOptions(command.args, {
        switches: "--recursive --reference --changes --silent --quiet --verbose",
      });
      // To change the modes of a granted directory is ordinary work; of the home, or of what holds them, it is not.
      return (
        read.has("-R", "--recursive") &&
        read.operands.some(
          (word) => criticalPath(word, command) === "system" || pathsOf(word, command).includes(command.context.home),
        )
      );
    }),
  }),
  program("dd", {
    effects: destroy("files", (command) =>
      command.args.some(
        ({ shape }) =>
          shape?.startsWith("of=") === true && isAnyDevice(command, [{ text: null, shape: shape.slice(3) }]),
      ),
    ),
  }),
  program("shred wipe tee truncate blkdiscard badblocks hdparm sfdisk fdisk parted sgdisk cfdisk gdisk", {
    effects: [overwritesDevice],
  }),
  program("mkfs mke2fs mkswap wipefs", {
    effects: destroy("files", (command) => readOptions(command.args, { values: "-t -L -O -U" }).operands.length > 0),
  }),
];
