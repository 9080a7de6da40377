// The environment of a program, built from nothing.
// Invariant: only the fixed values here and what the call itself names; never a variable that makes a
// program load code. A map without prototype throughout: `__proto__` is a name like any other.

import { userInfo } from "node:os";
import { ok, fail, type Result } from "../shared/result.ts";
import { limits } from "../shared/limits.ts";

export function baseEnvironment(): Record<string, string> {
  const environment: Record<string, string> = Object.create(null);
  environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";
  environment["HOME"] = "/tmp";
  environment["LANG"] = "C.UTF-8";
  environment["LC_ALL"] = "C.UTF-8";
  environment["USER"] = userName();
  environment["TERM"] = "dumb";
  environment["SHELL"] = "/bin/sh";
  return environment;
}

let cachedUserName: string | undefined;

function userName(): string {
  cachedUserName ??= readUserName();
  return cachedUserName;
}

function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "user"); // an id without an entry in the user database
  }
}

/** The fixed values with the call's own on top, sorted by name. */
export function buildEnvironment(extra: Readonly<Record<string, string>>): Result<[string, string][]> {
  const environment = baseEnvironment();
  const names = Object.keys(extra);
  if (names.length > limits.environmentCount) {
    return fail("invalid_args", `env: ${names.length} variables; at most ${limits.environmentCount} are taken.`);
  }
  for (const name of names) {
    const problem = environmentNameProblem(name);
    if (problem !== null)
      return fail("invalid_args", `env: ${JSON.stringify(name)} ${problem.reason}`, { hint: problem.hint });
    environment[name] = extra[name] as string;
  }
  return ok(Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface NameProblem {
  readonly reason: string;
  readonly hint: string;
}

function environmentNameProblem(name: string): NameProblem | null {
  if (name.startsWith("_")) {
    return {
      reason: "begins with an underscore: those names are reserved.",
      hint: "Use a name that begins with a letter.",
    };
  }
  if (!/^[A-Za-z][A-Za-z0-9_.-]*$/.test(name)) {
    return { reason: "is not a variable name.", hint: "Names are a letter, then letters, digits, `_`, `.` or `-`." };
  }
  // SECURITY(T04): such a variable turns any program into one that runs the agent's code before its own.
  if (loadsCode(name)) {
    return {
      reason: "makes programs load code, so it cannot be set.",
      hint: "Pass it as an argument of the program instead.",
    };
  }
  return null;
}

/** True for variables that choose code: loaders, interpreters, pagers, editors, and all of git's. */
export function loadsCode(name: string): boolean {
  return codeVariables.has(name) || codePatterns.some((pattern) => pattern.test(name));
}

const codePatterns: readonly RegExp[] = [
  /^(LD|DYLD|GIT|BASH_FUNC|COR|CORECLR|LUA_INIT|LUA_PATH|LUA_CPATH)_/,
  /_(PAGER|EDITOR|ASKPASS)$/,
  /^npm_config_/i,
  /^CARGO_.*(RUNNER|LINKER|WRAPPER|RUSTC|RUSTFLAGS|RUSTDOCFLAGS)$/,
];

// One group a line: the C library, shells, pagers and editors, then an interpreter or tool each.
const codeVariables: ReadonlySet<string> = new Set(
  `
  GCONV_PATH GETCONF_DIR GLIBC_TUNABLES LOCPATH MALLOC_TRACE NLSPATH
  BASH_ENV BASHOPTS ENV FPATH IFS PROMPT_COMMAND PS4 SHELLOPTS ZDOTDIR
  BROWSER EDITOR FCEDIT LESS LESSCLOSE LESSKEY LESSKEYIN LESSKEY_CONTENT LESSOPEN MANOPT PAGER VISUAL
  EXINIT VIM VIMINIT VIMRUNTIME EMACSLOADPATH MYVIMRC
  ELECTRON_RUN_AS_NODE NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE
  PYTHONBREAKPOINT PYTHONEXECUTABLE PYTHONHOME PYTHONINSPECT PYTHONPATH PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX
  PYTHONSTARTUP PYTHONUSERBASE PYTHONWARNINGS
  PERL5DB PERL5LIB PERL5OPT PERL5SHELL PERLIO_DEBUG PERLLIB
  BUNDLE_GEMFILE GEM_HOME GEM_PATH RUBYLIB RUBYOPT RUBYSHELL
  ANT_OPTS CATALINA_OPTS CLASSPATH GRADLE_OPTS JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS SBT_OPTS
  LUA_CPATH LUA_INIT LUA_PATH TCLLIBPATH GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH
  PHPRC PHP_INI_SCAN_DIR R_ENVIRON R_ENVIRON_USER R_LIBS R_LIBS_USER R_PROFILE R_PROFILE_USER
  JULIA_DEPOT_PATH JULIA_LOAD_PATH ERL_AFLAGS ERL_FLAGS ERL_LIBS ERL_ZFLAGS CAML_LD_LIBRARY_PATH
  DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_STARTUP_HOOKS
  GCC_EXEC_PREFIX COMPILER_PATH GOENV GOFLAGS GOTOOLDIR RUSTC RUSTC_WORKSPACE_WRAPPER RUSTC_WRAPPER RUSTDOC
  GNUMAKEFLAGS MAKEFILES MAKEFLAGS CMAKE_TOOLCHAIN_FILE
  GIO_EXTRA_MODULES GST_PLUGIN_PATH GTK_MODULES GTK_PATH QT_PLUGIN_PATH
  OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES
  AWKLIBPATH AWKPATH CVS_RSH GREP_OPTIONS MAGIC POSIXLY_CORRECT RIPGREP_CONFIG_PATH RSYNC_RSH TAR_OPTIONS
  `
    .trim()
    .split(/\s+/),
);
