// Programs that wait for a person. One that only reads its input to the end, such as an interpreter, is not one of them.

import { readLoose } from "../loose-options.ts";
import { hasWord, interactive, type RiskRow, type RiskyCommand } from "../risk-row.ts";

const shows = ({ args }: RiskyCommand): boolean => hasWord(args, "--version", "--help", "-version", "-help");
const sshOptions = {
  values: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -P",
  stand: "before operands",
} as const;
const told = ["-e", "--execute", "-c", "--command", "-f", "--file", "-l", "--list", "--eval", "-V", "--batch"];
const sqliteOptions = {
  values: "-cmd -init -separator -newline -nullvalue -mmap -maxsize -heap -vfs -escape -nonce",
  names: "whole",
} as const;
const duckOptions = { values: `${sqliteOptions.values} -c -s -f`, names: "whole" } as const;
const hasArchive = (flags: ReadonlySet<string>): boolean => [...flags].some((flag) => flag.startsWith("-A"));

export const interactiveRisks: readonly RiskRow[] = [
  interactive(
    "vim vi view nvim gvim ex vimdiff nvimdiff gview rvim elvis nvi",
    {
      is: ["vim a.txt", "vi", "vim -R x", "env vi x"],
      isNot: [
        "vim --version",
        "vim -es -c q",
        "ex -s x",
        "nvim --headless +q",
        "vim -h",
        // Without a terminal a pager prints.
        "less a.txt",
        "cat a.txt | less",
        "more a.txt",
      ],
    },
    (command) => {
      const read = readLoose(command.args, { values: "-c -S -u -U -i -T -w -W -t -r -q" });
      const isSilent = read.has("-s") && (command.name === "ex" || read.has("-e", "-E"));
      return !shows(command) && !isSilent && !read.has("--headless", "-h");
    },
  ),
  interactive(
    "nano pico emacs emacsclient joe jed micro mcedit ne kak hx helix mg dialog whiptail mc ranger nnn lf tig lazygit",
    {
      is: ["nano a.txt", "emacs x", "dialog --yesno x 5 5", "tig"],
      isNot: ["emacs --batch -l x.el", "nano --version", "emacs -batch"],
    },
    (command) => !shows(command) && !hasWord(command.args, "--batch", "-batch", "-V", "--script"),
  ),
  interactive(
    "top htop btop atop iotop iftop nethogs nmon glances",
    { is: ["top", "htop", "top -d 1"], isNot: ["top -b -n1", "top -bn1", "top -v", "htop --version"] },
    (command) => !shows(command) && !readLoose(command.args, { values: "-d -n -p -u -U -o -w" }).has("-b", "-v", "-h"),
  ),
  interactive(
    "tmux",
    {
      is: ["tmux", "tmux attach", "tmux new -s x", "tmux a -t x"],
      isNot: [
        "tmux ls",
        "tmux new -d -s x",
        "tmux new-session -ds x",
        "tmux kill-server",
        "tmux -V",
        "tmux send-keys -t x y",
      ],
    },
    ({ args }) => {
      const outer = readLoose(args, { values: "-c -f -L -S -T", stand: "before operands" });
      const [verb, ...rest] = outer.operands;
      if (verb === undefined) return !outer.has("-V");
      if (verb.text !== null && "attach-session".startsWith(verb.text)) return true;
      return (
        verb.text !== null &&
        "new-session".startsWith(verb.text) &&
        !readLoose(rest, { values: "-c -e -F -f -n -s -t -x -y" }).has("-d")
      );
    },
  ),
  interactive(
    "screen",
    {
      is: ["screen", "screen -r x", "screen -S x"],
      isNot: ["screen -ls", "screen -dmS x sleep 1", "screen -d -m x", "screen -S x -X quit", "screen --version"],
    },
    (command) => {
      const { args } = command;
      const read = readLoose(args, { values: "-S -c -e -h -p -s -t -T", stand: "before operands" });
      return !shows(command) && !read.has("-X", "-l", "-v", "-Q", "-w") && !(read.has("-m") && read.has("-d", "-D"));
    },
  ),
  interactive(
    "ssh",
    {
      is: ["ssh host", "ssh -p 22 a@host", "ssh -t host"],
      isNot: ["ssh host ls", "ssh -V", "ssh -N host", "ssh -G host", "ssh -O exit host", "echo ls | ssh host"],
    },
    ({ args, hasInput }) => {
      const read = readLoose(args, { ...sshOptions });
      // Options may stand behind the host as well.
      const behind = readLoose(read.operands.slice(1), sshOptions);
      const has = (...names: string[]): boolean => read.has(...names) || behind.has(...names);
      return (
        !hasInput &&
        read.operands.length > 0 &&
        behind.operands.length === 0 &&
        !has("-N", "-V", "-G", "-O", "-Q", "-W", "-f")
      );
    },
  ),
  interactive(
    "mysql mariadb psql redis-cli mongo mongosh sqlplus cqlsh clickhouse-client",
    {
      is: ["mysql", "mysql -u root db", "psql", "psql -h x db", "redis-cli", "mongosh mongodb://h/db"],
      isNot: [
        "mysql -e 'select 1'",
        "mysql -BNe 'select 1' db",
        "mysql db < dump.sql",
        "cat x | psql",
        "psql -c 'select 1'",
        "psql -Atqc 'select 1' db",
        "psql -f x.sql",
        "psql -l",
        "redis-cli ping",
        "redis-cli --scan",
        "redis-cli -v",
        "mongosh x.js",
        "clickhouse-client --query 'select 1'",
        "mysql --version",
        "psql --command='x'",
      ],
    },
    (command) => {
      const read = readLoose(command.args, {
        values:
          "-e --execute -c --command -f --file -u --user -h --host -P --port -p -d --dbname -U --username -D --database --eval -n -a --query",
        ...(command.name === "mysql" || command.name === "mariadb" ? { optional: "-p" } : {}),
      });
      const isTold =
        read.has(...told) ||
        (command.name === "redis-cli" && read.has("-v", "--scan", "--bigkeys", "--memkeys", "--hotkeys", "--rdb")) ||
        (command.name === "clickhouse-client" && read.has("-q", "--query", "--queries-file")) ||
        (command.name.startsWith("mongo") && read.operands.some(({ text }) => text?.endsWith(".js") === true));
      const most = command.name === "redis-cli" ? 0 : command.name === "psql" ? 2 : 1;
      return !command.hasInput && !shows(command) && !isTold && read.operands.length <= most;
    },
  ),
  interactive(
    "sqlite3 duckdb",
    {
      is: ["sqlite3 a.db", "sqlite3", "sqlite3 -json a.db", "sqlite3 -cmd '.mode json' a.db", "duckdb -readonly a.db"],
      isNot: [
        "sqlite3 a.db .schema",
        "sqlite3 -json a.db 'select 1'",
        "sqlite3 --json a.db 'select 1'",
        "sqlite3 -column -header -separator , a.db 'select 1'",
        "sqlite3 -init /dev/null -noheader -list a.db .tables",
        "sqlite3 -batch a.db",
        "sqlite3 -version",
        "sqlite3 -Atf a.sqlar",
        "sqlite3 a.db < x.sql",
        "duckdb -c 'select 1'",
        "duckdb -json a.db 'select 1'",
        "duckdb a.db -f x.sql",
      ],
    },
    (command) => {
      const isDuck = command.name === "duckdb";
      const read = readLoose(command.args, isDuck ? duckOptions : sqliteOptions);
      const isTold = read.has("-batch") || (isDuck ? read.has("-c", "-s", "-f") : hasArchive(read.flags));
      return !command.hasInput && !shows(command) && !isTold && read.operands.length <= 1;
    },
  ),
  interactive(
    "passwd chsh chfn kinit nmtui",
    { is: ["passwd", "passwd root", "chsh"], isNot: ["passwd -S", "passwd --status root", "passwd --help"] },
    (command) =>
      !shows(command) && !readLoose(command.args).has("-S", "--status", "-l", "--lock", "-u", "--unlock", "--stdin"),
  ),
  interactive(
    "gpg gpg2",
    {
      is: ["gpg --gen-key", "gpg --full-generate-key", "gpg --edit-key x"],
      isNot: ["gpg --batch --gen-key p", "gpg -k", "gpg --verify x", "gpg --version"],
    },
    ({ args }) =>
      !hasWord(args, "--batch") &&
      hasWord(
        args,
        "--gen-key",
        "--generate-key",
        "--full-gen-key",
        "--full-generate-key",
        "--edit-key",
        "--card-edit",
        "--sign-key",
      ),
  ),
  interactive("crontab", { is: ["crontab -e"], isNot: ["crontab -l"] }, ({ args }) =>
    readLoose(args, { values: "-u" }).has("-e"),
  ),
  interactive(
    "visudo vipw vigr sudoedit",
    { is: ["visudo", "sudoedit x"], isNot: ["visudo -c"] },
    (command) => !shows(command) && !readLoose(command.args).has("-c", "-V"),
  ),
  interactive(
    "telnet ftp sftp",
    {
      is: ["telnet host", "ftp host", "sftp host"],
      isNot: ["sftp -b batch host", "sftp -b- host", "echo x | telnet host 80", "ftp < x"],
    },
    (command) =>
      !shows(command) &&
      !command.hasInput &&
      !command.args.some(({ text }) => text?.startsWith("-b") === true && command.name === "sftp"),
  ),
  interactive(
    "lynx w3m links elinks",
    {
      is: ["lynx http://x", "w3m http://x"],
      isNot: ["lynx -dump http://x", "w3m -dump http://x", "elinks --dump http://x", "w3m -dump_head http://x"],
    },
    ({ args }) =>
      !args.some(({ text }) => text !== null && /^--?(?:dump\w*|source|head|version|help)(?:=|$)/.test(text)),
  ),
];
