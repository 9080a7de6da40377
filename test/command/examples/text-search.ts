import type { ProgramExamples } from "./program-examples.ts";

export const textSearchExamples: ProgramExamples = {
  grep: {
    shell: {
      passes: [
        "grep -rn 'return;' src",
        "grep -e /etc/hosts docs",
        "grep -n 'a && b' src/x.c",
        "grep -A3 -m 1 x a.txt",
      ],
      refused: ["grep --regexp"],
    },
  },
  rg: {
    shell: {
      passes: [
        "rg 'pattern' .",
        "rg 'foo|bar' src",
        "rg -F '$(' scripts",
        "rg '/etc/hosts' docs",
        'rg -n "foo" -g"*.py"',
        "rg --files src",
        "rg -e a -e b",
        "rg --ignore x -- --pre",
      ],
      refused: [
        "rg --pre=sh pat f",
        "rg --pre{=,=sh} pattern payload.sh",
        "rg --search-zip pat",
        "rg -nz pat",
        "rg --hostname-bin=x pat",
        "rg --ignore --pre=x pat",
        "rg pat --pre sh",
        "rg --pre-glob '*.x' pat",
      ],
    },
    starts: [["rg --pre 'rm' a", "rm …"], ["rg -n a src"]],
  },
  ag: {
    shell: {
      passes: ["ag TODO src", "ag -i '/root' ."],
      refused: ["ag --pager 'touch x' pat", "ag --page=less pat", "ag pat --pager=x", "ag --after --pager=x pat"],
    },
  },
  jq: {
    shell: {
      passes: [
        "jq '.items[] | .name' data.json",
        "jq -n env",
        "jq --arg a '/etc' '$a' data.json",
        "jq -rf p.jq data.json",
      ],
      refused: ["jq --arg a"],
    },
  },
  yq: {
    shell: {
      passes: [
        "yq .a f.yml",
        "yq -n '.a.load = 1'",
        "yq '.x == \"load\"' f.yml",
        "yq eval '.a' payload.yml",
        "yq -o=json f.yml",
      ],
      refused: [
        "yq -i .a=1 f.yml",
        "yq .a=1 f.yml -i",
        "yq --inplace .a=1 f",
        "yq -Pi .a=1 f",
        "yq -s .a f",
        "yq -n 'load_str(\"/etc/hostname\")'",
        "yq 'strload(\"x\")' f",
        "yq '..load(\"x\")' f",
        "yq 'eval(\"x\")' f",
      ],
    },
  },
};
