// Writes docs/screens: what a person sees of a question, taken from real runs on a real terminal, in a throw-away place.
// Names, times and paths that differ from run to run are replaced by fixed ones.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CliUser, runner } from "../test/fixtures/cli.ts";
import { type Dialog, openDialog, pause } from "../test/fixtures/dialog.ts";
import { pushQuestion, waitsIn } from "../test/fixtures/push-question.ts";

const root = join(tmpdir(), "sallyport-screens");
const target = new URL("../docs/screens/", import.meta.url);
const endings: (() => unknown)[] = [];
const context = { after: (work: unknown) => void endings.push(work as () => unknown) };

function makePlace(): CliUser {
  rmSync(root, { recursive: true, force: true });
  for (const name of ["project", "notes", "tools", "home/.config/sallyport"])
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(root, "notes/todo.txt"), "water the plants\n");
  writeFileSync(join(root, "tools/report"), "#!/bin/sh\necho done\n", { mode: 0o755 });
  const grants = `[{ path: /usr, mode: r }, { path: "${root}/project", mode: rw }]`;
  writeFileSync(
    join(root, "home/.config/sallyport/config.yaml"),
    `version: 1\nagents: { default: { tool_grants: [Exec], fs_grants: ${grants} } }\n`,
  );
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: join(root, "home"), LANG: "C.UTF-8", NO_COLOR: "1" };
  return {
    project: join(root, "project"),
    env: { ...env, SALLYPORT_STATE: join(root, "state") },
  } as unknown as CliUser;
}

const ids: string[] = [];

function fixedId(id: string): string {
  if (!ids.includes(id)) ids.push(id);
  return ["q-1f2e3d4c", "q-5b6a7988", "q-9c8d7e6f"][ids.indexOf(id)] ?? "q-00000000";
}

function save(name: string, dialog: Dialog, columns = 80): void {
  const rows = dialog.grid().rows.map((row) =>
    row
      .replaceAll(/node \S+\/bin\/sallyport\.js/g, "sallyport")
      .replaceAll(root, "/home/you")
      .replaceAll(/q-[0-9a-f]{8}/g, fixedId)
      .replaceAll(/default-[0-9a-f]{8}/g, "default-5a6b7c8d")
      .replaceAll(/(low|medium|high)( +)\d+s {2,3}/g, "$1$22s   ")
      .replaceAll(/USER=\w+/g, "USER=you")
      .replaceAll(/127\.0\.0\.1:\d+\/#enter=[\w-]+/g, "127.0.0.1:4173/#enter=...")
      .replaceAll(/(landed as )[0-9a-f]+/g, "$1d0c1f2e3a4b5")
      .replaceAll(/(built on .*, |nothing → )[0-9a-f]{40}/g, "$1d0c1f2e3a4b5968778695a4b3c2d1e0f00112233"),
  );
  while (rows.at(-1) === "") rows.pop();
  writeFileSync(new URL(`${name}.txt`, target), `${rows.join("\n")}\n`);
  writeFileSync(new URL(`${name}.svg`, target), toSvg(rows, columns));
}

function toSvg(rows: readonly string[], columns: number): string {
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const texts = rows.map(
    (row, index) => `<text x="12" y="${24 + index * 18}" xml:space="preserve">${escape(row)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${columns * 9}" height="${rows.length * 18 + 24}" font-family="monospace" font-size="14" fill="#d7dae0"><rect width="100%" height="100%" rx="6" fill="#1d2026"/>\n${texts.join("\n")}\n</svg>\n`;
}

function analysis(status: string, more = ""): string {
  return `{\n  "period": "Q4-2024",\n  "status": "${status}"${more === "" ? "" : ","}\n${more}}\n`;
}

const RUN_COLUMNS = 132;

/** From the start of a run to its landing. The agent is a script. */
async function captureRun(): Promise<void> {
  const { env } = person;
  const bin = join(root, "bin");
  const shop = join(root, "shop");
  for (const path of [bin, shop, join(root, "run-home")]) mkdirSync(path);
  writeFileSync(join(bin, "sallyport"), `#!/bin/sh\nexec ${process.execPath} ${runner} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(shop, "sum.py"), "def total(prices):\n    return max(prices)\n");
  writeFileSync(
    join(shop, "test_sum.py"),
    "from sum import total\n\nassert total([1, 2, 3]) == 6\nprint('1 passed')\n",
  );
  writeFileSync(
    join(root, "agent.sh"),
    "echo 'agent: max is wrong, it must be sum'\nsed -i s/max/sum/ sum.py\npython3 -B test_sum.py\ngit commit -qam 'Add the prices up'\n",
  );
  cpSync(join(root, "agent.sh"), join(shop, "agent.sh"));
  const git = "git config user.name You && git config user.email you@example.org";
  const made = spawnSync("sh", ["-c", `git init -q -b main && ${git} && git add . && git commit -qm first`], {
    cwd: shop,
    env,
  });
  if (made.status !== 0) throw new Error(String(made.stderr));
  const show = (words: string) => `echo '$ ${words}'; ${words}; echo`;
  const shell = [
    "sallyport run -- bash agent.sh",
    "git status --short",
    "sallyport changes diff bash",
    "sallyport changes land bash --commits --yes",
  ]
    .map(show)
    .join("; ");
  const run = openDialog(context, person, [], {
    shell: `export PATH=${bin}:$PATH HOME=${root}/run-home; unset SALLYPORT_STATE; ${shell}; echo '$ '; sleep 2`,
    cwd: shop,
    columns: RUN_COLUMNS,
    rows: 66,
  });
  await run.until(/\n\$ \r?\n/);
  save("run", run, RUN_COLUMNS);
  await run.ended;
}

const person = makePlace();
mkdirSync(target, { recursive: true });
try {
  await captureRun();

  const call = ["call", "Exec", JSON.stringify({ argv: ["/usr/bin/cat", "todo.txt"], cwd: join(root, "notes") })];
  const asked = openDialog(context, person, call, { rows: 44 });
  await asked.until("leave it unanswered");
  save("question", asked);
  await asked.press("q");
  await asked.ended;

  const report = ["call", "Exec", JSON.stringify({ argv: [join(root, "tools/report"), "--all"] })];
  spawnSync(process.execPath, [runner, ...report], { cwd: person.project, env: person.env });
  const review = openDialog(context, person, ["review"]);
  await review.until("2 questions wait");
  await review.press("k");
  await pause(300);
  save("review-list", review);
  await review.press("\r");
  await review.until("[a]pprove");
  save("review-question", review);
  await review.press("q", "q");
  await review.ended;

  // The report of the design: three files onto a branch that others build on.
  const question = pushQuestion(
    [
      ["analysis.json", analysis("draft"), analysis("final", '  "metrics": {\n    "revenue": 1500000\n  }\n')],
      ["charts/revenue.svg", null, "<svg/>\n".repeat(300)],
      ["report.md", null, "# Q4 2024 Report\n\n## Summary\nRevenue increased by 15% compared to Q3.\n"],
    ],
    { branch: "main", isProtected: true, message: "Add quarterly report\n\nThe figures are those of the ledger.\n" },
  );
  await waitsIn(join(root, "state"), question);
  const push = openDialog(context, person, ["review", question.id]);
  await push.until("[a]pprove");
  await push.press("d");
  await push.until("final");
  save("push-diff", push);
  await push.press(" ", "q");
  await pause(300);
  save("push", push);
  await push.press("q", "q");
  await push.ended;
} finally {
  for (const end of endings) end();
  rmSync(root, { recursive: true, force: true });
}
