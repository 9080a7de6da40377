// Programs that ask for more rights, or put work where the box does not reach.

import { readLoose } from "../loose-options.ts";
import { privilege, type RiskRow, type RiskyCommand } from "../risk-row.ts";

const onlyShows = /^(?:--version|--help|-V|-h)$/;
const isMore = ({ args }: RiskyCommand): boolean => !(args.length === 1 && onlyShows.test(args[0]?.text ?? ""));

const readingVerbs = new Set(
  (
    "status show cat list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines " +
    "is-active is-enabled is-failed is-system-running get-default help show-environment"
  ).split(" "),
);

export const privilegeRisks: readonly RiskRow[] = [
  privilege(
    "sudo sudoedit su doas pkexec runuser sg newgrp setpriv run0 please super gksudo kdesu",
    {
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
    isMore,
  ),
  privilege(
    "chroot nsenter unshare insmod modprobe rmmod kexec swapon swapoff losetup pivot_root capsh setcap",
    {
      is: ["chroot / sh", "unshare -r id", "nsenter -t 1 -m sh", "insmod x.ko", "setcap cap_net_raw+ep x"],
      isNot: ["chroot --help", "modprobe -V"],
    },
    isMore,
  ),
  privilege(
    "mount umount",
    {
      is: ["mount /dev/sda1 /mnt", "mount -o remount,rw /", "mount -a", "umount x"],
      isNot: ["mount", "mount -l", "umount -V"],
    },
    ({ name, args }) => {
      const read = readLoose(args, { values: "-t -o -O -L -U", switches: "--all --bind --move --types --options" });
      return (
        read.operands.length > 0 || read.has("-a", "--all") || (name === "umount" && read.has("-A", "--all-targets"))
      );
    },
  ),
  privilege(
    "systemctl service rc-service initctl",
    {
      is: ["systemctl start x", "systemctl --user enable x", "systemctl daemon-reload", "service nginx restart"],
      isNot: [
        "systemctl status nginx",
        "systemctl",
        "systemctl --version",
        "service nginx status",
        "systemctl list-units",
      ],
    },
    ({ name, args }) => {
      const { operands } = readLoose(args, { values: "-t -H -M -n -o -p --type --host --machine --property --state" });
      const verb = operands[name === "systemctl" || name === "initctl" ? 0 : 1];
      return verb !== undefined && !readingVerbs.has(verb.text ?? "");
    },
  ),
  privilege(
    "shutdown reboot poweroff halt telinit systemd-run at batch",
    {
      is: ["shutdown -h now", "reboot", "systemd-run id", "echo id | at now"],
      isNot: ["at -l", "reboot --help", "at -c 1"],
    },
    (command) => isMore(command) && !(command.name === "at" && readLoose(command.args).has("-l", "-c")),
  ),
  privilege(
    "crontab",
    { is: ["crontab x", "echo '* * * * * id' | crontab -", "crontab -u x y"], isNot: ["crontab -l", "crontab -V"] },
    ({ args }) => {
      const read = readLoose(args, { values: "-u" });
      return !read.has("-l", "-r", "-e", "-V") || read.operands.length > 0;
    },
  ),
  privilege(
    "useradd userdel usermod adduser deluser groupadd groupdel groupmod addgroup delgroup chpasswd visudo vipw vigr",
    { is: ["useradd x", "usermod -aG sudo x", "visudo"], isNot: ["useradd --help"] },
    isMore,
  ),
];
