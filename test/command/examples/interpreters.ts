import type { ProgramExamples } from "./program-examples.ts";

export const interpretersExamples: ProgramExamples = {
  python: {
    shell: {
      passes: ["python3 --version", "python3 -c \"open('x','w')\"", "python -m pytest"],
      refused: ["./python3 -V"],
    },
    starts: [
      ["python3 -c 'import os; os.system(\"rm x\")'", "…"],
      ["python3 -Ic \"__import__('os').system('rm x')\"", "…"],
      ["python3 - <<'E'\nimport subprocess\nE", "…"],
      ["python3 -c 'print(1)'"],
      ["python3 x.py -c y"],
      ["python3 -m pytest -c x"],
    ],
  },
  perl: {
    starts: [
      ["perl -e 'system(\"rm x\")'", "…"],
      ["perl -ne 'print `rm x`' a", "…"],
      ["ruby -e 'exec \"rm x\"'", "…"],
      ["perl -i -pe 's/a/b/g' a"],
      ["perl -lane 'print $F[0]' a"],
    ],
  },
  node: {
    shell: { passes: ["node -e 1"], refused: [] },
    starts: [
      ['node -e \'spawnSync("rm", ["x"])\'', "…"],
      ["node -e 'x.execSync(\"rm x\")'", "…"],
      ["php -r 'system(\"rm x\");'", "…"],
      ["lua -e 'os.execute(\"rm x\")'", "…"],
      ["node -e 'console.log(`${1+1}`)'"],
      ["node -p process.version"],
      ["node x.js"],
    ],
  },
  java: { shell: { passes: ["java -javaagent:x.jar -version", "javac A.java"], refused: [] } },
};
