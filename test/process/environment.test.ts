import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { loadsCode } from "../../src/process/code-variables.ts";
import { baseEnvironment, buildEnvironment } from "../../src/process/environment.ts";

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
  ZIPOPT ZIP MANPAGER PSQL_PAGER SYSTEMD_PAGER AWS_PAGER BAT_PAGER DELTA_PAGER HGEDITOR KUBE_EDITOR BAT_OPTS FZF_DEFAULT_OPTS
  RSYNC_CONNECT_PROG SVN_SSH CVS_RSH BORG_RSH PSQLRC LESSKEYIN LESSEDIT GREP_OPTIONS AWKPATH AWKLIBPATH WGETRC PARALLEL
  PYTEST_PLUGINS PYTEST_ADDOPTS PIP_PYTHON PYLINTRC MAVEN_ARGS JDK_JAVAC_OPTIONS SBT_OPTS LEIN_JVM_OPTS ES_JAVA_OPTS ANT_ARGS
  ELIXIR_ERL_OPTIONS ERL_OTP26_FLAGS ERL_COMPILER_OPTIONS OCAMLPARAM TCLLIBPATH TCL8_6_TM_PATH NLSPATH
  RUSTFLAGS RUSTDOCFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_ALIAS_T CARGO_BUILD_RUSTDOC CARGO_REGISTRY_CREDENTIAL_PROVIDER
  GOCACHEPROG GOROOT SCONSFLAGS CMAKE_C_COMPILER_LAUNCHER CONFIG_SITE CONFIG_SHELL SHELL PS1
  BUNDLER_SETUP BUNDLER_ORIG_RUBYOPT BUNDLE_APP_CONFIG BUNDLE_LOCAL__RACK BUNDLE_PATH GEM_HOME RAKEOPT SPEC_OPTS IRBRC
  npm_config_call npm_config_script-shell NPM_CONFIG_USERCONFIG npm_config_init_module npm_config_git pnpm_config_pnpmfile
  YARN_YARN_PATH YARN_RC_FILENAME yarn_script_shell MOCHA_OPTIONS BUN_OPTIONS NODE_COMPILE_CACHE
  COMPlus_GCName DOTNET_GCPath dotnet_altjitname COMPlus_ENABLE_PROFILER MONO_PATH PSModulePath
  R_LIBS_SITE R_UNZIPCMD R_DEFAULT_PACKAGES R_BUILD_ENVIRON GHC_PACKAGE_PATH MAGICK_CONFIGURE_PATH GS_OPTIONS VK_ICD_FILENAMES
  ANSIBLE_CALLBACK_PLUGINS ANSIBLE_VAULT_PASSWORD_FILE TF_CLI_ARGS_init DBUS_SESSION_BUS_ADDRESS ASAN_SYMBOLIZER_PATH
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

const allowed = `
  CI DEBUG NODE_ENV RUST_LOG RUST_BACKTRACE HTTP_PROXY TZ FOO_BAR a A1 PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE CARGO_HOME
  GOPATH GOCACHE JAVA_HOME CC CFLAGS LDFLAGS VIRTUAL_ENV LESSCHARSET GITHUB_ACTIONS LDAP_HOST my.dotted-name COLUMNS
  FORCE_COLOR NO_COLOR PATH HOME LANG TERM
  LC_TIME TZDIR TERMINFO LS_COLORS GREP_COLORS JQ_COLORS EDITOR_THEME PAGER_SIZE MANPATH MANWIDTH LINES
  GOPROXY GOOS GOARCH GOMAXPROCS GODEBUG CGO_ENABLED GOTOOLCHAIN GOMODCACHE GONOSUMDB
  CARGO_TERM_COLOR CARGO_INCREMENTAL CARGO_TARGET_DIR CARGO_BUILD_JOBS CARGO_NET_OFFLINE CARGO_PROFILE_RELEASE_LTO
  RUSTUP_HOME RUSTC_BOOTSTRAP RUST_TEST_THREADS RUST_MIN_STACK
  PIP_NO_CACHE_DIR PIP_INDEX_URL PIP_DISABLE_PIP_VERSION_CHECK PIP_CACHE_DIR UV_CACHE_DIR UV_OFFLINE
  PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8 PYTHONFAULTHANDLER PYTHONNOUSERSITE PYTHONDEVMODE MYPYPATH
  PYTEST_DISABLE_PLUGIN_AUTOLOAD DJANGO_SETTINGS_MODULE FLASK_APP DATABASE_URL PORT HOST
  npm_config_cache npm_config_loglevel NPM_CONFIG_REGISTRY npm_config_yes npm_config_fund npm_config_ignore_scripts
  npm_config_update_notifier npm_config_legacy_peer_deps npm_package_name YARN_CACHE_FOLDER YARN_ENABLE_TELEMETRY
  NODE_EXTRA_CA_CERTS NODE_DEBUG NODE_NO_WARNINGS NODE_V8_COVERAGE UV_THREADPOOL_SIZE COREPACK_ENABLE_STRICT
  BUNDLE_JOBS BUNDLE_WITHOUT BUNDLE_FROZEN BUNDLE_IGNORE_CONFIG RAILS_ENV RACK_ENV RUBY_GC_HEAP_INIT_SLOTS
  DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO DOTNET_gcServer DOTNET_ROOT COMPlus_EnableDiagnostics
  OCAMLRUNPARAM ERL_CRASH_DUMP MIX_ENV JULIA_NUM_THREADS R_PAPERSIZE OMP_NUM_THREADS CUDA_VISIBLE_DEVICES
  MALLOC_ARENA_MAX ASAN_OPTIONS XZ_OPT GZIP UNZIP RSYNC_PASSWORD SVN_USER PGHOST PGPASSWORD PGOPTIONS AWS_REGION
  AWS_PROFILE KUBECONFIG TF_VAR_region TF_LOG ANSIBLE_FORCE_COLOR ANSIBLE_HOST_KEY_CHECKING DOCKER_HOST
  CXX AR MAKE_JOBS CMAKE_BUILD_TYPE CMAKE_PREFIX_PATH PKG_CONFIG_PATH DESTDIR PREFIX VERBOSE DEBIAN_FRONTEND
  SSH_AUTH_SOCK SSL_CERT_FILE XDG_CONFIG_HOME TMPDIR QT_QPA_PLATFORM DISPLAY ORG_GRADLE_PROJECT_x MAVEN_HOME
`
  .trim()
  .split(/\s+/);

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
