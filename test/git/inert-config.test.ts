// What of a repository's configuration may be in force: nothing that names a program, a file or a host.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { type ConfigEntry, parseConfigFile } from "../../src/git/config-file.ts";
import { inertConfig, isInert } from "../../src/git/inert-config.ts";
import { git } from "../fixtures/git.ts";
import { runs } from "../fixtures/runs.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-inert-"));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The names and values git itself sees in what we would put in place. */
function listed(text: string): string[] {
  const file = join(directory, "config");
  writeFileSync(file, inertConfig(text));
  return git(directory, ["config", "--no-includes", "-z", "--list", "--file", file])
    .split("\0")
    .slice(0, -1)
    .map((item) => item.replace("\n", "="));
}

// Every key through which git starts a program, reads or writes a file of the configuration's choice, or reaches a host.
const dangerous = `
  core.fsmonitor core.hooksPath core.pager core.editor core.sshCommand core.gitProxy core.askPass core.attributesFile core.excludesFile
  core.worktree core.alternateRefsCommand core.alternateRefsPrefixes core.fsmonitorHookVersion core.sharedRepository core.logAllRefUpdates
  core.virtualFilesystem core.gvfs core.notesRef core.commentChar core.useReplaceRefs core.packedRefsTimeout core.preferSymlinkRefs
  alias.log alias.status pager.log pager.status include.path includeIf.x.path extensions.worktreeConfig extensions.partialClone
  extensions.preciousObjects extensions.relativeWorktrees
  diff.external diff.orderFile diff.submodule diff.ignoreSubmodules diff.tool diff.guitool diff.x.command diff.x.textconv diff.x.cachetextconv diff.x.trustExitCode
  difftool.x.cmd difftool.x.path merge.tool merge.x.driver merge.x.name merge.x.recursive mergetool.x.cmd
  filter.x.clean filter.x.smudge filter.x.process filter.x.required
  gpg.program gpg.ssh.program gpg.x509.program gpg.openpgp.program gpg.ssh.allowedSignersFile gpg.ssh.defaultKeyCommand gpg.format user.signingKey
  log.showSignature log.diffMerges log.graphColors format.signOff format.signature format.signatureFile format.headers
  credential.helper credential.https://x.helper credential.username
  remote.origin.url remote.origin.pushurl remote.origin.proxy remote.origin.uploadpack remote.origin.receivepack remote.origin.vcs remote.origin.promisor
  remote.origin.partialclonefilter url.x.insteadOf url.x.pushInsteadOf
  http.proxy http.x.proxy http.cookieFile http.sslCAInfo http.sslKey protocol.allow protocol.ext.allow ssh.variant
  submodule.x.url submodule.x.path submodule.x.update submodule.x.ignore submodule.recurse submodule.alternateLocation
  status.submoduleSummary blame.ignoreRevsFile mailmap.file mailmap.blob man.viewer man.x.cmd man.x.path help.browser web.browser browser.x.cmd
  trace2.normalTarget trace2.eventTarget trace2.configParams uploadpack.packObjectsHook hook.x.command hook.x.event sequence.editor
  commit.template commit.gpgSign init.templateDir gc.auto maintenance.auto receive.procReceiveRefs sendemail.smtpServer
  safe.directory safe.bareRepository fsmonitor.socketDir fsmonitor.allowRemote instaweb.browser rebase.instructionFormat
  color.ui color.diff color.branch color.status column.ui core.repositoryFormatVersion transfer.credentialsInUrl promisor.acceptFromServer
  i18n.logOutputEncoding i18n.commitEncoding pretty.x pretty.oneline tar.x.command core.splitIndex interactive.diffFilter
`
  .trim()
  .split(/\s+/);

const entryText = (name: string, value: string): string => {
  const [section, ...rest] = name.split(".") as [string, ...string[]];
  const key = rest.pop() as string;
  return `${rest.length === 0 ? `[${section}]` : `[${section} "${rest.join(".")}"]`}\n\t${key}${value}\n`;
};

test("no dangerous key passes, whatever its value", () => {
  for (const value of [" = true", " = /bin/evil", " = x", ""]) {
    const text = dangerous.map((name) => entryText(name, value)).join("");
    assert.deepEqual(parseConfigFile(text).length, dangerous.length, "all of them are read");
    assert.deepEqual(listed(text), ["core.repositoryformatversion=0"]);
    assert.deepEqual(listed(text.toUpperCase()), ["core.repositoryformatversion=0"]);
  }
});

test("the table of dangerous keys is git's own language: git knows nearly all of them", () => {
  const known = new Set(git(directory, ["help", "--config"]).toLowerCase().split("\n"));
  const general = [...known].map(
    (name) => new RegExp(`^${name.replace(/[.+^$()|[\]\\]/g, "\\$&").replace(/<[^>]*>|\*/g, ".+")}$`),
  );
  const unknown = dangerous.filter((name) => !general.some((pattern) => pattern.test(name.toLowerCase())));
  assert.ok(unknown.length < 25, `git does not know ${unknown.join(" ")}`);
});

const inert: [string, string][] = [
  ["[core]\n\tautocrlf = input\n", "core.autocrlf=input"],
  ["[core]\n\tfileMode = false\n", "core.filemode=false"],
  ["[core]\n\tbare\n", "core.bare"],
  ["[core]\n\tquotePath = off\n", "core.quotepath=off"],
  ['[branch "feat/ü x"]\n\tremote = origin\n', "branch.feat/ü x.remote=origin"],
  ['[branch "main"]\n\tmerge = refs/heads/main\n', "branch.main.merge=refs/heads/main"],
  ['[branch "main"]\n\tremote = .\n', "branch.main.remote=."],
  [
    '[remote "origin"]\n\turl = https://x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
    "remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*",
  ],
  ['[diff "py"]\n\txfuncname = "^(def|class) .*$\\n^x"\n', "diff.py.xfuncname=^(def|class) .*$\n^x"],
  ["[log]\n\tdate = iso-strict\n", "log.date=iso-strict"],
  ["[format]\n\tpretty = %h %s\n", "format.pretty=%h %s"],
  ["[branch]\n\tsort = -committerdate\n", "branch.sort=-committerdate"],
];

test("what only changes how things are compared, named or printed passes", () => {
  for (const [text, expected] of inert)
    assert.deepEqual(listed(text), ["core.repositoryformatversion=0", expected], text);
});

test("an inert key with a value that is not of its kind does not pass", () => {
  const wrong = [
    '[branch "x"]\n\tremote = https://example.org/x\n',
    '[branch "x"]\n\tremote = git@example.org:x\n',
    '[branch "x"]\n\tremote = /srv/repo\n',
    '[branch "x"]\n\tremote = ../other\n',
    '[branch "x"]\n\tremote = --upload-pack=x\n',
    '[branch "x"]\n\tremote = "ext::sh -c id"\n',
    '[remote "x"]\n\tfetch = --all\n',
    '[core]\n\tautocrlf = "$(id)"\n',
    "[core]\n\tabbrev = /etc/passwd\n",
    "[format]\n\tpretty = %G?\n",
    "[format]\n\tpretty = %-%G?\n",
    "[format]\n\tpretty = %x1b[2J\n",
    "[log]\n\tdate = evil\n",
    "[branch]\n\tsort = signature\n",
    "[extensions]\n\trefStorage = reftable:///etc\n",
  ];
  for (const text of wrong) assert.deepEqual(listed(text), ["core.repositoryformatversion=0"], text);
});

test("a NUL in a subsection hides no key behind it", () => {
  // To git the name ends at the NUL. The control: the file itself does name these programs.
  const smuggled = '[diff "external\0"]\n\twordRegex = /bin/evil\n[diff "x.textconv\0"]\n\twordRegex = /bin/evil\n';
  const file = join(directory, "smuggled");
  writeFileSync(file, smuggled);
  assert.match(
    git(directory, ["config", "--list", "--file", file]),
    /^diff\.external=\/bin\/evil\ndiff\.x\.textconv=\/bin\/evil$/m,
  );
  assert.deepEqual(listed(smuggled), ["core.repositoryformatversion=0"]);
});

test("extensions raise the format version, so that git honours them", () => {
  assert.deepEqual(listed("[extensions]\n\tobjectFormat = sha256\n"), [
    "core.repositoryformatversion=1",
    "extensions.objectformat=sha256",
  ]);
});

const anyEntry: fc.Arbitrary<ConfigEntry> = fc.record(
  {
    section: fc.constantFrom(
      "core",
      "diff",
      "branch",
      "remote",
      "log",
      "extensions",
      "format",
      "status",
      "submodule",
      "filter",
      "gpg",
    ),
    subsection: fc.option(fc.string({ unit: fc.constantFrom("a", ".", "\0", "\n", '"', "\\", "textconv", "]") })),
    key: fc.constantFrom(
      "remote",
      "merge",
      "fetch",
      "wordregex",
      "autocrlf",
      "textconv",
      "external",
      "date",
      "pretty",
      "objectformat",
      "url",
      "binary",
      "xfuncname",
    ),
    value: fc.option(
      fc.string({
        unit: fc.constantFrom("a", "/", "\0", "\n", " ", '"', "\\", "-", "%", "G", ":", "[core]", "fsmonitor=x"),
      }),
    ),
  },
  { noNullPrototype: true },
);

test("what git reads in the file that takes the place of the repository's is what was found inert, and nothing else", () => {
  const harmless =
    /^(core|extensions)\.[a-z]+|^diff(\..*)?\.(wordregex|xfuncname|binary|funcname|algorithm)|^branch(\..*)?\.(remote|merge)|^remote\..*\.fetch|^(log|blame)\.date|^format\.pretty/s;
  fc.assert(
    fc.property(fc.array(anyEntry, { minLength: 20, maxLength: 60 }), (entries) => {
      const kept = entries.filter(isInert);
      // Written without care, as a hostile hand would: the parser may read it in any way it likes.
      const text = entries
        .map(
          ({ section, subsection, key, value }) =>
            `[${section}${subsection === null ? "" : ` "${subsection}"`}]\n${key}${value === null ? "" : ` = ${value}`}\n`,
        )
        .join("");
      for (const name of listed(text)) assert.match(name, harmless);
      for (const { subsection, value } of kept)
        assert.ok(!(subsection ?? "").includes("\0") && !(value ?? "").includes("\0"));
      for (const again of parseConfigFile(inertConfig(text)).slice(1)) assert.ok(isInert(again), "inert stays inert");
    }),
    { numRuns: runs(150) },
  );
});
