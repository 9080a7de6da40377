import type { ProgramExamples } from "./program-examples.ts";

export const systemInformationExamples: ProgramExamples = {
  base64: {
    shell: {
      passes: ["base64 -d a.b64", "base64 -w0 a.bin"],
      refused: ["base64 -o out a.txt", "base64 -do out a.txt", "base64 --output=out a.txt"],
    },
  },
  xxd: {
    shell: {
      passes: ["xxd a.bin", "xxd -l 64 a.bin", "xxd -s16 -len 8 a.bin", "xxd -r -p a.hex", "xxd -c 8 -g 1 -"],
      refused: [
        "xxd a.txt out",
        "xxd -r a.hex out",
        "xxd -l 4 a.txt out",
        "xxd a.txt -r",
        "xxd -l4 -- a.txt out",
        "xxd -z a.txt",
      ],
    },
  },
  hexdump: { shell: { passes: ["hexdump -C a.bin", "hexdump -n 16 -e '1/1 \"%x\"' a.bin"], refused: [] } },
  echo: { shell: { passes: ["echo '*?[]~' /etc", "printf '%s\\n' a", "printf -v 'a[$(id)]' x"], refused: [] } },
  date: {
    shell: {
      passes: ["date", "date -u +%F", "date -d yesterday +%s", "date -Iseconds"],
      refused: ["date -s 2020-01-01", "date --se=2020-01-01", "date -us 2020-01-01", "date 010203042020"],
    },
  },
  printenv: {
    shell: {
      passes: ["which git node", "uname -a", "id -u", "pwd -P", "basename /etc/hosts", "printenv HOME"],
      refused: [],
    },
  },
  realpath: {
    shell: { passes: ["realpath src", "realpath --relative-to=. src/a"], refused: ["realpath --relative x src"] },
  },
  type: { shell: { passes: ["type ls git"], refused: ["type", "type -a ls", "env type ls"] } },
};
