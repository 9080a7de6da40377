// The working days on a project for Python.

import { bash, type Day, edit, land, python, read, write } from "./day.ts";

const project = {
  ".gitignore": "__pycache__/\n.venv/\n",
  "README.md": "# prices\n\nReads prices. See [the guide](docs/guide.md).\n",
  "docs/guide.md": "# Guide\n\nCall `prices.parse(text)`.\n",
  "prices.py":
    'def parse(text):\n    """The number in a price such as 1.50 EUR."""\n    return float(text.split()[0])\n',
  "test_prices.py":
    'import unittest\n\nfrom prices import parse\n\n\nclass Prices(unittest.TestCase):\n    def test_plain(self):\n        self.assertEqual(parse("1.50 EUR"), 1.5)\n',
};

const commaTest = '\n    def test_comma(self):\n        self.assertEqual(parse("1,50 EUR"), 1.5)\n';

const rows = Array.from(
  { length: 200 },
  (_, index) => `2026-01-${String((index % 28) + 1).padStart(2, "0")},item ${index % 7},${(index * 37) % 100}`,
);

export const pythonDays: readonly Day[] = [
  {
    name: "bug",
    title: "a bug",
    files: project,
    before: ["echo >> README.md", "git commit -qam 'words'", "echo >> README.md", "git commit -qam 'more words'"],
    looks: 1,
    landed: { file: "prices.py", holds: /replace\(",", "\."\)/ },
    moves: [
      bash("python3 -m unittest 2>&1 | tail -3; git log --oneline -- prices.py; git blame -s prices.py"),
      bash("python3 -c 'import prices; print(prices.parse(\"1,50 EUR\"))'", { ends: 1 }),
      bash("git bisect start -q HEAD HEAD~2 && git bisect run python3 -m unittest -q; git bisect reset -q", {
        ends: null,
      }),
      bash(`cat >> test_prices.py <<'END'\n${commaTest}END\npython3 -m unittest -q`, { ends: 1 }),
      edit("prices.py", "text.split()[0]", 'text.split()[0].replace(",", ".")'),
      bash("python3 -m unittest -q && python3 -m py_compile prices.py && git diff --stat"),
      ...land("a comma is a decimal point"),
    ],
  },
  {
    name: "data",
    title: "a data task",
    files: { ...project, "data/sales.csv": ["day,item,amount", ...rows, ""].join("\n") },
    looks: 1,
    landed: { file: "report.md", holds: /\| item 0 \| \d+ \|/ },
    moves: [
      bash(
        "head -3 data/sales.csv; wc -l data/sales.csv; cut -d, -f2 data/sales.csv | sort | uniq -c | sort -rn | head -3",
      ),
      python(
        "import csv, collections\ntotals = collections.Counter()\nfor row in csv.DictReader(open('data/sales.csv')):\n    totals[row['item']] += int(row['amount'])\nwith open('report.md', 'w') as out:\n    out.write('| item | amount |\\n|---|---|\\n')\n    for item, amount in sorted(totals.items()):\n        out.write(f'| {item} | {amount} |\\n')\nprint(sum(totals.values()))",
      ),
      bash("awk -F, 'NR > 1 { all += $3 } END { print all }' data/sales.csv && cat report.md"),
      bash(
        "python3 - <<'END'\nimport sqlite3\nbase = sqlite3.connect('/tmp/sales.db')\nbase.execute('create table sales (item, amount)')\nprint(base.execute('select count(*) from sales').fetchone())\nEND",
      ),
      ...land("a report of the sales"),
    ],
  },
  {
    name: "documentation",
    title: "a documentation task",
    files: project,
    looks: 1,
    landed: { file: "docs/guide.md", holds: /decimal point/ },
    moves: [
      read("README.md"),
      { tool: "search_files", args: () => ({ pattern: "parse" }) },
      edit(
        "docs/guide.md",
        "Call `prices.parse(text)`.",
        "Call `prices.parse(text)`. The decimal point is a dot.\n\n- [the code](../prices.py)",
      ),
      write("docs/index.html", '<!doctype html><title>prices</title><a href="guide.md">guide</a>\n'),
      bash(
        "for link in $(grep -oh '](\\.*[^)]*)' README.md docs/*.md | tr -d '])('); do ls docs/$link 2>/dev/null || ls $link; done",
      ),
      bash(
        "python3 -m http.server 8123 --directory docs >/tmp/log 2>&1 & until curl -sf http://localhost:8123/index.html; do sleep 0.1; done; kill %1",
      ),
      bash("python3 -c 'import prices; help(prices.parse)' | cat"),
      ...land("the guide says what a price is"),
    ],
  },
];
