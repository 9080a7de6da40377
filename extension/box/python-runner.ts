// The half of the Python worker that is written in Python: it runs a text as the main module of a fresh process would be run.

export const runnerName = "_sallyport_box";

/** Defines the module, also in a memory that is kept for later starts. */
export const runnerSource = `
import atexit, builtins, linecache, os, random, sys, types

runner = types.ModuleType("${runnerName}")
sys.modules[runner.__name__] = runner

def exit_code(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1

def failed(error, own_frames):
    if isinstance(error, SystemExit):
        return exit_code(error.code)
    frames = error.__traceback__
    for _ in range(own_frames):
        frames = frames and frames.tb_next
    sys.excepthook(type(error), error.with_traceback(frames), frames)
    return 1

def run(text, cwd, environment):
    os.environ.clear()
    os.environ.update(environment)
    random.seed()  # the kept memory has one state for all runs
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(line_buffering=True)
    sys.argv = ["-c"]
    sys.path[:] = ["", *filter(None, sys.path)]
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    linecache.cache["<string>"] = len(text), None, text.splitlines(True), "<string>"
    code = 0
    try:
        os.chdir(cwd)
        exec(compile(text, "<string>", "exec", dont_inherit=True), main.__dict__)
    except BaseException as error:
        code = failed(error, 1)
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException as error:
        code = failed(error, 1) or 1
    return code

runner.run = run
`;
