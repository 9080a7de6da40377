import type { ProgramExamples } from "./program-examples.ts";

export const fileChangesExamples: ProgramExamples = {
  rm: {
    effects: [
      {
        kind: "destroy",
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
      {
        kind: "destroy",
        is: ["rm -rf .git", "rm -rf src/.git", "rm -r .git/refs", "rm -f .git", "rm -rf ./.git/"],
        isNot: ["rm -f .git/index.lock", "rm -rf .github", "rm .gitignore"],
      },
    ],
  },
  mv: {
    effects: [
      {
        kind: "destroy",
        is: ["mv ~ x", "mv /usr /usr2", "mv /* x", "mv -t x ~"],
        isNot: ["mv a b", "mv a ~", "mv a .", "mv a .."],
      },
      {
        kind: "destroy",
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
    ],
  },
  cp: {
    effects: [
      {
        kind: "destroy",
        is: ["shred /dev/sda", "shred -n 1 /dev/sda1", "echo x | tee /dev/vda", "cp x /dev/sdb", "sgdisk -Z /dev/sda"],
        isNot: ["shred secret.txt", "tee log", "cp a b", "cp /dev/null x", "truncate -s 0 log", "fdisk -l"],
      },
    ],
  },
  chmod: {
    effects: [
      {
        kind: "destroy",
        is: ["chmod -R 777 /", "chown -R nobody /", "chmod 000 -R ~", "chgrp --recursive x /etc", "chmod -R a-w .."],
        isNot: ["chmod -R u+w build", "chmod 755 .", "chown a b", "chmod -R u+w ."],
      },
    ],
  },
  dd: {
    effects: [
      {
        kind: "destroy",
        is: ["dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1"],
        isNot: ["dd if=/dev/zero of=x", "dd if=/dev/sda"],
      },
    ],
  },
  mkfs: {
    effects: [
      {
        kind: "destroy",
        is: ["mkfs.ext4 /dev/sda", "mkfs -t ext4 x", "wipefs -a /dev/sda", "mkswap x"],
        isNot: ["mkfs.ext4 --help", "wipefs -V"],
      },
    ],
  },
};
