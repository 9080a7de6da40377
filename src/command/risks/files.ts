// Commands that lose more files than ordinary work does.

import { baseName } from "../../shared/path.ts";
import type { CommandWord } from "../command-word.ts";
import { readLoose } from "../loose-options.ts";
import { destroy, type RiskRow, type RiskyCommand } from "../risk-row.ts";
import { isDevice, pathsOf, vitalPath } from "../vital-path.ts";
import { findRisk } from "./find.ts";

const isVital = ({ places }: RiskyCommand, words: readonly CommandWord[]): boolean =>
  words.some((word) => vitalPath(word, places) !== null);
const isAnyDevice = ({ places }: RiskyCommand, words: readonly CommandWord[]): boolean =>
  words.some((word) => pathsOf(word, places).some(isDevice));
const isGitDirectory = ({ places }: RiskyCommand, word: CommandWord, isWhole: boolean): boolean =>
  pathsOf(word, places).some((path) => (isWhole ? baseName(path) === ".git" : /\/\.git(?:\/|$)/.test(path)));

const rmOptions = {
  switches: "--recursive --force --interactive --no-preserve-root --dir --verbose --one-file-system",
};

const mvOptions = { values: "-t --target-directory -S --suffix" };

/** All operands but the target. */
function movedWords({ args }: RiskyCommand): readonly CommandWord[] {
  const read = readLoose(args, mvOptions);
  return read.has("-t", "--target-directory") ? read.operands : read.operands.slice(0, -1);
}

export const fileRisks: readonly RiskRow[] = [
  destroy(
    "rm srm",
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
      const read = readLoose(command.args, rmOptions);
      return read.has("-r", "-R", "--recursive") && isVital(command, read.operands);
    },
  ),
  destroy(
    "rm srm",
    "git",
    {
      is: ["rm -rf .git", "rm -rf src/.git", "rm -r .git/refs", "rm -f .git", "rm -rf ./.git/"],
      isNot: ["rm -f .git/index.lock", "rm -rf .github", "rm .gitignore"],
    },
    (command) => {
      const read = readLoose(command.args, rmOptions);
      const isWhole = !read.has("-r", "-R", "--recursive");
      return read.operands.some((word) => isGitDirectory(command, word, isWhole));
    },
  ),
  destroy(
    "mv",
    "files",
    { is: ["mv ~ x", "mv /usr /usr2", "mv /* x", "mv -t x ~"], isNot: ["mv a b", "mv a ~", "mv a .", "mv a .."] },
    (command) => isVital(command, movedWords(command)),
  ),
  destroy(
    "mv",
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
  findRisk,
  destroy(
    "chmod chown chgrp",
    "files",
    {
      is: ["chmod -R 777 /", "chown -R nobody /", "chmod 000 -R ~", "chgrp --recursive x /etc", "chmod -R a-w .."],
      isNot: ["chmod -R u+w build", "chmod 755 .", "chown a b", "chmod -R u+w ."],
    },
    (command) => {
      const read = readLoose(command.args, {
        switches: "--recursive --reference --changes --silent --quiet --verbose",
      });
      // A root's own modes are ordinary work for chmod; the places around it are not.
      return read.has("-R", "--recursive") && read.operands.some((word) => isForeign(command, word));
    },
  ),
  destroy(
    "dd",
    "files",
    { is: ["dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1"], isNot: ["dd if=/dev/zero of=x", "dd if=/dev/sda"] },
    (command) =>
      command.args.some(
        ({ shape }) =>
          shape?.startsWith("of=") === true && isAnyDevice(command, [{ text: null, shape: shape.slice(3) }]),
      ),
  ),
  destroy(
    "shred wipe tee cp install truncate blkdiscard badblocks hdparm sfdisk fdisk parted sgdisk cfdisk gdisk",
    "files",
    {
      is: ["shred /dev/sda", "shred -n 1 /dev/sda1", "echo x | tee /dev/vda", "cp x /dev/sdb", "sgdisk -Z /dev/sda"],
      isNot: ["shred secret.txt", "tee log", "cp a b", "cp /dev/null x", "truncate -s 0 log", "fdisk -l"],
    },
    (command) => {
      const { operands } = readLoose(command.args);
      return isAnyDevice(command, command.name === "cp" || command.name === "install" ? operands.slice(-1) : operands);
    },
  ),
  destroy(
    "mkfs mke2fs mkswap wipefs",
    "files",
    {
      is: ["mkfs.ext4 /dev/sda", "mkfs -t ext4 x", "wipefs -a /dev/sda", "mkswap x"],
      isNot: ["mkfs.ext4 --help", "wipefs -V"],
    },
    (command) => readLoose(command.args, { values: "-t -L -O -U" }).operands.length > 0,
  ),
  destroy(
    "crontab",
    "files",
    { is: ["crontab -r", "crontab -u x -r", "crontab -ir"], isNot: ["crontab -l"] },
    (command) => readLoose(command.args, { values: "-u" }).has("-r"),
  ),
  destroy(
    "rsync",
    "files",
    {
      is: ["rsync -a --delete empty/ /", "rsync -a --delete-after x/ ~/"],
      isNot: ["rsync -a --delete src/ dist/", "rsync -a a/ ~/"],
    },
    (command) =>
      command.args.some(({ text }) => text?.startsWith("--del") === true) &&
      isVital(command, readLoose(command.args, { values: "-e --rsh --exclude --include" }).operands.slice(-1)),
  ),
];

function isForeign({ places }: RiskyCommand, word: CommandWord): boolean {
  return vitalPath(word, places) === "everything" || pathsOf(word, places).includes(places.context.home);
}
