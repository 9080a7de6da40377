import type { ProgramExamples } from "./program-examples.ts";

export const codeAnalysisExamples: ProgramExamples = {
  "ast-grep": {
    shell: {
      passes: ["ast-grep -p 'foo($A)' -l ts src", "ast-grep scan src"],
      refused: ["ast-grep -p a -r b -U", "ast-grep run -p a --update-all", "ast-grep -ip a", "ast-grep new rule"],
    },
  },
  repomix: {
    shell: {
      passes: ["repomix --stdout src", "repomix --version"],
      refused: ["repomix", "repomix -o x --stdout", "repomix --init"],
    },
  },
  tree: {
    shell: {
      passes: ["tree -L 2", "tree -aI node_modules src", "tree --fromfile list"],
      refused: ["tree -o out .", "tree . -aoout", "tree -Lo 2 out .", "tree -RL 2 -H ."],
    },
  },
  tokei: { shell: { passes: ["tokei src", "tokei -o json src"], refused: [] } },
  cloc: {
    shell: {
      passes: ["cloc .", "cloc --json --by-file src", "cloc --exclude-dir=node_modules .", "cloc -quiet ."],
      refused: [
        "cloc --report-file=out .",
        "cloc -report-file=out .",
        "cloc --Report-File=out .",
        "cloc --rep=out .",
        "cloc --out out .",
        "cloc +out=x .",
        "cloc --sum-reports a b",
        "cloc --extract-with='sh' a.zip",
        "cloc --strip-comments=x .",
        "cloc --config c .",
      ],
    },
  },
  scc: {
    shell: {
      passes: ["scc src", "scc --by-file -f json ."],
      refused: ["scc -o out .", "scc -wo out", "scc --output=out", "scc --format-multi csv:out ."],
    },
  },
};
