// Commands that lose more files than ordinary work does.

import { baseName } from "../../shared/path.ts";
import type { CommandWord } from "../command-word.ts";
import { readLoose } from "../loose-options.ts";
import { destroy, hasWord, type RiskRow, type RiskyCommand } from "../risk-row.ts";
import { isDevice, pathsOf, vitalPlace } from "../vital-place.ts";

const isVital = ({ places }: RiskyCommand, words: readonly CommandWord[]): boolean =>
  words.some((word) => vitalPlace(word, places) !== null);
const isAnyDevice = ({ places }: RiskyCommand, words: readonly CommandWord[]): boolean =>
  words.some((word) => pathsOf(word, places).some(isDevice));
const isGitDirectory = ({ places }: RiskyCommand, word: CommandWord, isWhole: boolean): boolean =>
  pathsOf(word, places).some((path) => (isWhole ? baseName(path) === ".git" : /\/\.git(?:\/|$)/.test(path)));

const rmOptions = {
  switches: "--recursive --force --interactive --no-preserve-root --dir --verbose --one-file-system",
};

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
        "rm -f *.o",
        "cd src && rm -rf ./*",
        'rm -rf "$x"',
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
    (command) => {
      const read = readLoose(command.args, { values: "-t --target-directory -S --suffix" });
      return isVital(command, read.has("-t", "--target-directory") ? read.operands : read.operands.slice(0, -1));
    },
  ),
  destroy("mv", "git", { is: ["mv .git g2", "mv src/.git /tmp"], isNot: ["mv a .git-x"] }, (command) =>
    readLoose(command.args)
      .operands.slice(0, -1)
      .some((word) => isGitDirectory(command, word, true)),
  ),
  destroy(
    "find",
    "files",
    {
      is: [
        "find / -delete",
        "find / -name core -delete",
        "find . -delete",
        "find -delete",
        "find . -type f -delete",
        "find ~ -name '*' -delete",
        "find -L . -depth -delete",
        "find / -exec rm -rf {} +",
        "find . -mindepth 1 -execdir rm -r {} ';'",
        "find .. -type f -exec shred {} +",
        "find / -ok rm {} ';'",
      ],
      isNot: [
        "find build -name '*.o' -delete",
        "find . -name '*.pyc' -delete",
        "find . -type d -empty -delete",
        "find / -name x",
        "find . -exec grep -l TODO {} +",
        "find . -name rm",
        "find src -delete",
      ],
    },
    isDestroyingFind,
  ),
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
  return vitalPlace(word, places) === "everything" || pathsOf(word, places).includes(places.context.home);
}

const narrowing =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|empty|size|newer\w*|[acm](?:time|min)|user|group|perm|inum|samefile|links|uid|gid|nouser|nogroup|xtype|executable)$/;
const removers = "rm rmdir unlink shred srm truncate mv chmod chown";

function isDestroyingFind(command: RiskyCommand): boolean {
  const { args } = command;
  const start = args.findIndex(({ text }) => text !== null && /^[-(!]/.test(text) && !/^-(?:[HLP]|O\d?|D)$/.test(text));
  const expression = start < 0 ? [] : args.slice(start);
  const isRemover = ({ text }: CommandWord, index: number): boolean =>
    text !== null &&
    /^-(?:exec|execdir|ok|okdir)$/.test(expression[index - 1]?.text ?? "") &&
    removers.split(" ").includes(baseName(text));
  if (!hasWord(expression, "-delete") && !expression.some(isRemover)) return false;
  const named = args.slice(0, start).filter(({ text }) => text === null || !text.startsWith("-"));
  const from = named.length === 0 ? [{ text: ".", shape: "." }] : named;
  const isNarrow = expression.some(
    ({ text }, index) => text !== null && narrowing.test(text) && !/^[*?]+$/.test(expression[index + 1]?.shape ?? ""),
  );
  return from.some((word) => {
    const vital = vitalPlace(word, command.places);
    return vital === "everything" || (vital === "tree" && !isNarrow);
  });
}
