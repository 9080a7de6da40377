import type { ProgramExamples } from "./program-examples.ts";

export const rightsProgramsExamples: ProgramExamples = {
  sudo: {
    effects: [
      {
        kind: "privilege",
        is: [
          "sudo id",
          "sudo -n true",
          "su",
          "su - root -c id",
          "doas id",
          "pkexec id",
          "env A=1 sudo id",
          "/usr/bin/sudo id",
        ],
        isNot: ["echo sudo id", "sudo --version", "git commit -m 'sudo rm'", "man sudo"],
      },
    ],
    starts: [
      ["sudo rm x", "rm x"],
      ["sudo -u root A=b rm x", "rm x"],
      ["sudo -n -- rm x", "rm x"],
      ["doas -u root rm x", "rm x"],
      ["pkexec --user root rm x", "rm x"],
      ["sudo sh -c 'rm x'", "sh -c rm x", "rm x"],
      ["sudo -l"],
    ],
  },
  su: {
    starts: [
      ["su -c 'rm x'", "rm x"],
      ["su - root -c 'rm x'", "rm x"],
      ["runuser -u root -- rm x", "rm x"],
      ["sg root 'rm x'", "rm x"],
      ["su root"],
    ],
  },
  sudoedit: { effects: [{ kind: "interactive", is: ["visudo", "sudoedit x"], isNot: ["visudo -c"] }] },
  setpriv: { starts: [["setpriv --no-new-privs --reuid 0 rm x", "rm x"]] },
  chroot: {
    effects: [
      {
        kind: "privilege",
        is: ["chroot / sh", "unshare -r id", "nsenter -t 1 -m sh", "insmod x.ko", "setcap cap_net_raw+ep x"],
        isNot: ["chroot --help", "modprobe -V"],
      },
    ],
    starts: [["chroot --userspec=a / rm x", "rm x"]],
  },
  nsenter: { starts: [["nsenter -t 1 -m rm x", "rm x"]] },
  unshare: { starts: [["unshare -r -n rm x", "rm x"]] },
  mount: {
    effects: [
      {
        kind: "privilege",
        is: ["mount /dev/sda1 /mnt", "mount -o remount,rw /", "mount -a", "umount x"],
        isNot: ["mount", "mount -l", "umount -V"],
      },
    ],
  },
  systemctl: {
    effects: [
      {
        kind: "privilege",
        is: ["systemctl start x", "systemctl --user enable x", "systemctl daemon-reload", "service nginx restart"],
        isNot: [
          "systemctl status nginx",
          "systemctl",
          "systemctl --version",
          "service nginx status",
          "systemctl list-units",
        ],
      },
    ],
  },
  shutdown: {
    effects: [
      {
        kind: "privilege",
        is: ["shutdown -h now", "reboot", "systemd-run id", "echo id | at now"],
        isNot: ["at -l", "reboot --help", "at -c 1"],
      },
    ],
  },
  "systemd-run": { starts: [["systemd-run --user -p A=b rm x", "rm x"]] },
  at: { starts: [["echo 'rm x' | at now", "rm x"], ["at now <<< 'rm x'", "rm x"], ["at -l"]] },
  crontab: {
    effects: [
      {
        kind: "privilege",
        is: ["crontab x", "echo '* * * * * id' | crontab -", "crontab -u x y"],
        isNot: ["crontab -l", "crontab -V"],
      },
      { kind: "destroy", is: ["crontab -r", "crontab -u x -r", "crontab -ir"], isNot: ["crontab -l"] },
      { kind: "interactive", is: ["crontab -e"], isNot: ["crontab -l"] },
    ],
  },
  useradd: {
    effects: [{ kind: "privilege", is: ["useradd x", "usermod -aG sudo x", "visudo"], isNot: ["useradd --help"] }],
  },
};
