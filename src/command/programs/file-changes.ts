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

const overwritesDevice = destroy(
  "files",
  {
    is: ["shred /dev/sda", "shred -n 1 /dev/sda1", "echo x | tee /dev/vda", "cp x /dev/sdb", "sgdisk -Z /dev/sda"],
    isNot: ["shred secret.txt", "tee log", "cp a b", "cp /dev/null x", "truncate -s 0 log", "fdisk -l"],
  },
  (command) => {
    const { operands } = readOptions(command.args);
    return isAnyDevice(command, /^g?(?:cp|install)$/.test(command.name) ? operands.slice(-1) : operands);
  },
);

export const fileChanges: readonly Program[] = [
  program("rm srm", {
    effects: [
      destroy(
        "files",
        {
          is: [
            "rm -rf /",
            "rm -fr /",
            "rm / -rf",
            "rm -r --no-preserve-root /",
            "rm --rec /etc",
            "rm -rf /*",
            "rm -rf -- /usr",
            "rm -rf ~",
            'rm -rf "$HOME"',
            "rm -rf ~/*",
            "rm -rf .",
            "rm -rf ./",
            "rm -rf ..",
            "rm -rf ../..",
            "rm -rf *",
            "rm -rf .[!.]* *",
            "rm -R /home/someone",
            "rm -rf src/..",
            "cd /; rm -rf ./*",
            "rm -rf //",
            "rm -rf /proc/self/root",
            "rm -rf {/,x}",
            "rm -rf -- /",
            "rm -rf /./",
            "rm -rf /../",
            "rm -rf $HOME",
            'rm -rf "${HOME:?}"/',
            "rm -rf ${HOME:-/x}/*",
            "rm -rf ${HOME%/}",
            'rm -rf "$HOME/"',
            "rm -rf ~root",
            "rm -rf ~someone/",
            "rm -rf ~root/*",
            "rm -rf ~+",
            "cd /; rm -rf ~+/etc",
            "rm${IFS}-rf${IFS}/",
          ],
          isNot: [
            "rm -rf ./build dist",
            "rm -rf node_modules",
            "rm -- -f",
            "rm /",
            "rm -f build/*",
            "rm -rf build/*",
            "rm -rf src",
            "rm -rf ~/x",
            "rm -rf /tmp/x",
            "rm -rf /tmp/*",
            "rm -f *.o",
            "cd src && rm -rf ./*",
            'rm -rf "$x"',
            "rm -rf ~root/x",
            "rm -rf '~root'",
            "rm -rf \\~root",
            "rm -rf x~root",
            "rm -rf ~+/build",
            "rm -rf ~-",
            'rm -rf "${HOME:?}/x"',
            'rm -rf "${TMPDIR:?}"/',
            "rm -rf ${HOME:+x} ${HOME#/}",
          ],
        },
        (command) => {
          const read = readOptions(command.args, rmOptions);
          return read.has("-r", "-R", "--recursive") && isAnyCritical(command, read.operands);
        },
      ),
      destroy(
        "git",
        {
          is: ["rm -rf .git", "rm -rf src/.git", "rm -r .git/refs", "rm -f .git", "rm -rf ./.git/"],
          isNot: ["rm -f .git/index.lock", "rm -rf .github", "rm .gitignore"],
        },
        (command) => {
          const read = readOptions(command.args, rmOptions);
          const isWhole = !read.has("-r", "-R", "--recursive");
          return read.operands.some((word) => isGitDirectory(command, word, isWhole));
        },
      ),
    ],
  }),
  program("mv", {
    effects: [
      destroy(
        "files",
        { is: ["mv ~ x", "mv /usr /usr2", "mv /* x", "mv -t x ~"], isNot: ["mv a b", "mv a ~", "mv a .", "mv a .."] },
        (command) => isAnyCritical(command, movedWords(command)),
      ),
      destroy(
        "git",
        {
          is: [
            "mv .git g2",
            "mv src/.git /tmp",
            "mv -t /tmp .git",
            "mv -t/tmp .git",
            "mv --target-directory=/tmp a .git",
            "mv --targ /tmp .git",
            "mv .git -t /tmp",
          ],
          isNot: ["mv a .git-x", "mv -t .git a", "mv a .git", "mv -S .git a b"],
        },
        (command) => movedWords(command).some((word) => isGitDirectory(command, word, true)),
      ),
    ],
    copies: moveOptions,
  }),
  program("cp", { aliases: "gcp", effects: [overwritesDevice], copies: moveOptions }),
  program("install", { aliases: "ginstall", effects: [overwritesDevice], copies: installOptions }),
  program("ln", { copies: moveOptions }),
  program("link", { copies: {} }),
  program("chmod chown chgrp", {
    effects: destroy(
      "files",
      {
        is: ["chmod -R 777 /", "chown -R nobody /", "chmod 000 -R ~", "chgrp --recursive x /etc", "chmod -R a-w .."],
        isNot: ["chmod -R u+w build", "chmod 755 .", "chown a b", "chmod -R u+w ."],
      },
      (command) => {
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
      },
    ),
  }),
  program("dd", {
    effects: destroy(
      "files",
      {
        is: ["dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1"],
        isNot: ["dd if=/dev/zero of=x", "dd if=/dev/sda"],
      },
      (command) =>
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
    effects: destroy(
      "files",
      {
        is: ["mkfs.ext4 /dev/sda", "mkfs -t ext4 x", "wipefs -a /dev/sda", "mkswap x"],
        isNot: ["mkfs.ext4 --help", "wipefs -V"],
      },
      (command) => readOptions(command.args, { values: "-t -L -O -U" }).operands.length > 0,
    ),
  }),
];
