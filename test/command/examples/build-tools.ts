import type { ProgramExamples } from "./program-examples.ts";

export const buildToolsExamples: ProgramExamples = {
  make: {
    shell: { passes: ["make", "make -n", "make --eval='$(shell id)' ."], refused: [] },
    starts: [
      ["make -f - <<'E'\nall:\n\t@rm x\nE", "rm x"],
      ["make -f /dev/stdin <<'E'\nall: ; rm x\nE", "rm x"],
      ["make --eval='$(shell rm x)'", "rm x"],
      ["make -j4 test"],
      ["make -C sub CFLAGS=-O2"],
    ],
  },
  cmake: {
    starts: [
      ["cmake -E env A=b rm x", "rm x"],
      ["cmake -E time rm x", "rm x"],
      ["cmake -E chdir /tmp rm x", "rm x"],
      ["cmake -S . -B build"],
      ["cmake -E make_directory x"],
    ],
  },
  hyperfine: {
    starts: [
      ["hyperfine -w 3 'rm x' 'ls y'", "rm x", "ls y"],
      ["hyperfine --prepare 'rm x' ls", "rm x", "ls"],
    ],
  },
  perf: { starts: [["perf stat -e cycles -r 3 rm x", "rm x"], ["perf record -g -- rm x", "rm x"], ["perf list"]] },
  strace: { starts: [["strace -f -e trace=file -o y rm x", "rm x"]] },
  gdb: {
    starts: [
      ["gdb -batch -ex 'shell rm x'", "rm x"],
      ["gdb -batch -ex '!rm x'", "rm x"],
      ["gdb --args rm x", "rm x"],
      ["gdb -batch -ex bt -p 1"],
    ],
  },
};
