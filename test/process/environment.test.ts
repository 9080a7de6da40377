import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { baseEnvironment, buildEnvironment, loadsCode } from "../../src/process/environment.ts";

const base = ["HOME", "LANG", "LC_ALL", "PATH", "SHELL", "TERM", "USER"];

test("nothing is inherited", () => {
  process.env["SALLYPORT_TEST_SECRET"] = "secret";
  const built = buildEnvironment({});
  assert.ok(built.ok);
  assert.deepEqual(
    built.value.map(([name]) => name),
    base,
  );
  assert.equal(Object.getPrototypeOf(baseEnvironment()), null);
});

const refused = `
  LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH GLIBC_TUNABLES LOCPATH MALLOC_TRACE
  BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND IFS ZDOTDIR BASH_FUNC_x
  PAGER GIT_PAGER MANPAGER_PAGER EDITOR VISUAL GIT_EDITOR LESSOPEN LESSCLOSE BROWSER SUDO_ASKPASS SSH_ASKPASS
  GIT_DIR GIT_SSH GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_EXTERNAL_DIFF GIT_TRACE GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_PROXY_COMMAND
  NODE_OPTIONS NODE_PATH ELECTRON_RUN_AS_NODE npm_config_script_shell NPM_CONFIG_NODE_OPTIONS
  PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONBREAKPOINT PYTHONWARNINGS
  PERL5OPT PERL5LIB PERL5DB PERLLIB RUBYOPT RUBYLIB GEM_PATH BUNDLE_GEMFILE
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS
  LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_CPATH_5_3 PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER ERL_FLAGS JULIA_LOAD_PATH
  DOTNET_STARTUP_HOOKS CORECLR_PROFILER COR_ENABLE_PROFILING OPENSSL_CONF
  RUSTC_WRAPPER CARGO_BUILD_RUSTC_WRAPPER CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER GOFLAGS MAKEFLAGS MAKEFILES GNUMAKEFLAGS TAR_OPTIONS RSYNC_RSH
`
  .trim()
  .split(/\s+/);

for (const name of refused) {
  test(`refused: ${name}`, () => {
    const built = buildEnvironment({ [name]: "x" });
    assert.ok(!built.ok);
    assert.equal(built.failure.error, "invalid_args");
    assert.ok(built.failure.message.includes(JSON.stringify(name)));
    assert.notEqual(built.failure.hint, undefined);
  });
}

const allowed =
  "CI DEBUG NODE_ENV RUST_LOG RUST_BACKTRACE HTTP_PROXY TZ FOO_BAR a A1 PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE CARGO_HOME GOPATH GOCACHE JAVA_HOME CC CFLAGS LDFLAGS VIRTUAL_ENV LESSCHARSET GITHUB_ACTIONS LDAP_HOST my.dotted-name COLUMNS FORCE_COLOR NO_COLOR PATH HOME LANG TERM".split(
    " ",
  );

for (const name of allowed) {
  test(`allowed: ${name}`, () => {
    const built = buildEnvironment({ [name]: "value" });
    assert.ok(built.ok, JSON.stringify(built));
    assert.deepEqual(
      built.value.find(([key]) => key === name),
      [name, "value"],
    );
  });
}

test("what is built is sorted, without doubles, and holds what the call named on top of the fixed values", () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/).filter((text) => !loadsCode(text));
  fc.assert(
    fc.property(fc.dictionary(name, fc.string(), { maxKeys: 20 }), (extra) => {
      const built = buildEnvironment(extra);
      assert.ok(built.ok);
      const names = built.value.map(([key]) => key);
      assert.deepEqual(names, [...new Set([...base, ...Object.keys(extra)])].sort());
      for (const [key, value] of built.value) if (Object.hasOwn(extra, key)) assert.equal(value, extra[key]);
    }),
  );
});

test("__proto__ begins with an underscore, and constructor is a name like any other", () => {
  assert.ok(!buildEnvironment(JSON.parse('{"__proto__": "x"}') as Record<string, string>).ok);
  const built = buildEnvironment({ constructor: "x", toString: "y", hasOwnProperty: "z" });
  assert.ok(built.ok);
  assert.equal(built.value.length, base.length + 3);
});

test("a thousand variables are enough", () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`V${index}`, ""]));
  assert.ok(buildEnvironment(many(1000)).ok);
  assert.ok(!buildEnvironment(many(1001)).ok);
});
