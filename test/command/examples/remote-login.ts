import type { ProgramExamples } from "./program-examples.ts";

export const remoteLoginExamples: ProgramExamples = {
  ssh: {
    effects: [
      {
        kind: "interactive",
        is: ["ssh host", "ssh -p 22 a@host", "ssh -t host"],
        isNot: ["ssh host ls", "ssh -V", "ssh -N host", "ssh -G host", "ssh -O exit host", "echo ls | ssh host"],
      },
      {
        kind: "network",
        is: ["ssh host", "ssh -o BatchMode=yes -p 22 me@127.0.0.1 ls", "ssh -J jump host", "ssh -p 2222 host ls"],
        hosts: ["host:22", "127.0.0.1:22", "*", "host:2222"],
        isNot: ["ssh -V", "ssh -Q cipher"],
      },
    ],
    starts: [
      ["ssh -o ProxyCommand='rm x' h ls", "rm x"],
      ["ssh -oLocalCommand='rm x' -oPermitLocalCommand=yes h ls", "rm x"],
      ["ssh -i k h ls"],
    ],
  },
  sftp: {
    effects: [
      {
        kind: "interactive",
        is: ["telnet host", "ftp host", "sftp host"],
        isNot: ["sftp -b batch host", "sftp -b- host", "echo x | telnet host 80", "ftp < x"],
      },
    ],
    starts: [["scp -S ./x a h:b", "./x …"], ["scp a h:b"]],
  },
  scp: {
    effects: [
      {
        kind: "network",
        is: [
          "scp a me@x.invalid:b",
          "scp -P 2222 a me@x.invalid:b",
          "rsync -a a/ x.invalid:b",
          "rsync -e 'ssh -p 2222' a/ x.invalid:b",
          "rsync rsync://x.invalid/a .",
          "rsync x.invalid::a .",
          'scp "$a" b',
        ],
        hosts: ["x.invalid:22", "x.invalid:2222", "x.invalid:22", "x.invalid *", "x.invalid:873", "x.invalid:873", "*"],
        isNot: ["rsync -a a/ b/", "scp a b", "rsync --version"],
      },
    ],
  },
  rsync: {
    effects: [
      {
        kind: "destroy",
        is: ["rsync -a --delete empty/ /", "rsync -a --delete-after x/ ~/"],
        isNot: ["rsync -a --delete src/ dist/", "rsync -a a/ ~/"],
      },
    ],
    starts: [["rsync -e 'rm x' a b", "rm x …"], ["rsync -a --delete a/ b/"]],
  },
  telnet: {
    effects: [
      {
        kind: "network",
        is: [
          "nc -z 127.0.0.1 9",
          "ping -c 1 x.invalid",
          "nc -l 80",
          "telnet x.invalid 80",
          'nc "$h" 1',
          "nmap -sV -oN out -p 80 x.invalid",
          "nmap -iL list",
          "telnet x.invalid",
        ],
        hosts: ["127.0.0.1:9", "x.invalid", "*", "x.invalid:80", "*", "x.invalid", "*", "x.invalid:23"],
        isNot: ["nc -h", "ping -V"],
      },
    ],
  },
  socat: { starts: [["socat - EXEC:'rm x',pty", "rm x,pty"], ["socat - SYSTEM:'rm x'", "rm x"], ["socat -V"]] },
};
