// Programs that analyse source code: ast-grep repomix tree tokei cloc scc.

import { ok, type Result } from "../../shared/result.ts";
import { pathWords, refuseForm, showWord } from "../rules/judge-options.ts";
import { type Program, program } from "../rules/program.ts";
import { type Form, type FormContext, judgedBy, programForm, reads } from "../rules/shell-rule.ts";

const WRITES = "writes a file";

export const codeAnalysis: readonly Program[] = [
  program("ast-grep", {
    shell: reads({
      values:
        "-p --pattern -r --rewrite -l --lang --selector --strictness --globs -j --threads -A --after -B --before -C --context --filter --inline-rules --format --report-style --color --no-ignore --inspect --max-results",
      optional: "--json --debug-query",
      paths: "-c --config --rule",
      refused: { "-U --update-all": "writes files", "-i --interactive": "asks at a terminal" },
      longNames: "exact",
      operands: "paths",
      check: ({ operands }) =>
        /^(new|lsp)$/.test(operands[0] ?? "") ? `${operands[0]} writes files or stays running` : null,
    }),
  }),
  program("repomix", {
    shell: reads({
      values: "--style --include -i --ignore --top-files-len --token-count-encoding --header-text --include-logs-count",
      paths: "-c --config --instruction-file-path",
      refused: {
        "-o --output": WRITES,
        "--init": WRITES,
        "--copy": "changes the clipboard",
        "--mcp": "stays running",
        "--remote --remote-branch": "fetches a repository",
      },
      longNames: "exact",
      operands: "paths",
      check: ({ options }) =>
        options.some(({ name }) => /^(--stdout|--version|-v|--help|-h)$/.test(name))
          ? null
          : "writes its output to a file unless --stdout is given",
    }),
  }),
  program("tree", {
    shell: reads({
      values: "-L -P -I -H -T --charset --filelimit --timefmt --sort --hintro --houtro",
      paths: "--gitfile --infofile",
      refused: { "-o --output": WRITES, "-R": "starts itself again and writes files" },
      longNames: "exact",
      operands: "paths",
      // tree takes values from the next words only: in `-Lo 2 out` the o is an option, too.
      check: (_read, args) => {
        const wrong = args.find((word) => /^-[^-]*[oR]/.test(word));
        return wrong === undefined ? null : `${showWord(wrong)} ${WRITES}`;
      },
    }),
  }),
  program("tokei", {
    shell: reads({
      values: "-c --columns -e --exclude -n --num-format -o --output -s --sort -t --type -r --rsort",
      paths: "-i --input",
      longNames: "exact",
      operands: "paths",
    }),
  }),
  program("cloc", {
    shell: judgedBy(readCloc),
  }),
  program("scc", {
    shell: reads({
      values:
        "-f --format -s --sort -i --include-ext -x --exclude-ext --exclude-dir -M --not-match -n --exclude-file --count-as --remap-all --remap-unknown --avg-wage --cocomo-project-type --currency-symbol --large-byte-count --large-line-count --eaf --overhead --size-unit --min-gen-line-length",
      refused: { "-o --output": WRITES, "--format-multi": "can write files", "--mcp": "stays running" },
      longNames: "exact",
      operands: "paths",
    }),
  }),
];

// cloc takes long names with one dash, two, or a plus, in any case, and shortened. Only whole names of this list pass.
const clocOptions = new Set(
  `by-file by-file-by-lang by-percent csv csv-delimiter csvdelimiter json yaml xml md quiet hide-rate exclude-dir exclude-ext exclude-lang
  include-lang include-ext match-f not-match-f match-d not-match-d fullpath timeout max-file-size skip-uniqueness
  list-file exclude-list-file read-lang-def force-lang version help show-lang show-ext processes sum-one follow-links
  no3 3 progress-rate docstring-as-code skip-leading diff v h ?`.split(/\s+/),
);

function readCloc(args: readonly string[], { later }: FormContext): Result<Form> {
  const paths: string[] = [];
  for (const word of args) {
    const [option, name = "", value = ""] = /^(?:--|-|\+)([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (option === undefined) paths.push(word);
    else if (!clocOptions.has(name.toLowerCase()))
      return refuseForm(`cloc ${showWord(word)} can write files or start programs, or is not known.`);
    else paths.push(value);
  }
  if (later !== null) return refuseForm("cloc would get words that nobody has judged.");
  return ok(programForm(pathWords(paths)));
}
