// Walks a parsed script as bash would run it. It follows directories, reads functions where they are called, and forgets
// what a subshell changes. Of branches it takes all.

import type { AndOr, ParsedScript, Pipeline, Statement } from "unbash";
import type { ScriptShell } from "../rules/start-rule.ts";
import type { CommandContext, Directories } from "../words/command-line.ts";
import { type ScriptState, readCommandNode, readRedirection, visitNode, wordsOf } from "./command-node.ts";
import type { Collector, CommandScope, Input } from "./command-reader.ts";
import { CopiedPrograms } from "./copied-programs.ts";
import { EvaluatedText, joinsLines } from "./evaluated-text.ts";
import type { Findings } from "./findings.ts";
import { parseScript } from "./parse-script.ts";
import { inputOf, printedBy } from "./redirections.ts";
import { readFacts, type ScriptFacts } from "./script-words.ts";
import {
  type DeferredBody,
  inputOfCall,
  mergeDirectories,
  newShell,
  type Runnable,
  type Shell,
} from "./shell-state.ts";

const MOST_CALLS = 300;

export class ScriptWalk implements ScriptState {
  readonly collector: Collector;
  readonly findings: Findings;
  readonly context: CommandContext;
  facts: ScriptFacts;
  shell: Shell;
  evaluated = new EvaluatedText();
  /** Traps, and the bodies of functions, which are read at the end if nobody called them. */
  #deferred: DeferredBody[] = [];
  readonly #readBodies = new Set<Runnable>();
  /** The calls that were read: by function, body and directories. */
  readonly #calls = new Set<string>();
  readonly #bodyNumbers = new Map<Runnable, number>();

  constructor(findings: Findings, context: CommandContext) {
    this.findings = findings;
    this.context = context;
    this.facts = { isHomeSet: false, isIfsSet: false, isPathSet: context.isPathUnknown === true };
    this.shell = newShell([context.cwd], inputOfCall(context), 0, "certain");
    for (const value of Object.values(context.variables ?? {})) this.evaluated.seeText(value);
    this.collector = {
      context,
      canFindPrograms: () => !this.facts.isPathSet,
      addEffect: (effect) => findings.addEffect(effect),
      addCommand: (words) => findings.addCommand(words),
      addUnknown: () => findings.addUnknown(),
      addUnreadable: (why) => findings.addUnreadable(why),
      readScript: (text, scope, shell) => this.#readStartedScript(text, scope, shell),
      copies: new CopiedPrograms(),
      callFunction: (name, cwds) => this.#callFunction(name, cwds),
    };
  }

  /** A shell of its own: it has no functions yet, and what it leaves for its end is read here. */
  readAsNew(text: string, shell: Shell): void {
    const { facts, evaluated } = this;
    const deferred = this.#deferred;
    this.facts = readFacts(text, facts);
    this.evaluated = new EvaluatedText(evaluated);
    this.#deferred = [];
    const script = this.#parse(text);
    if (script !== null) {
      this.#within(shell, () => {
        this.#readStatements(script.commands);
        // Reading a body may add to the list; the loop goes on with what is added.
        for (const body of this.#deferred) this.#readDeferred(body, shell);
        for (const hidden of this.evaluated.texts) this.#readEvaluated(hidden);
      });
    }
    const isSplitOddly = this.facts.isIfsSet && /\$\{?IFS/.test(text);
    if (this.evaluated.mayRun || isSplitOddly || joinsLines(text)) this.findings.addUnknown();
    this.facts = facts;
    this.evaluated = evaluated;
    this.#deferred = deferred;
  }

  readInSubshell(script: ParsedScript): void {
    this.#seeErrors(script);
    this.#fork(() => this.#readStatements(script.commands));
  }

  #readStartedScript(text: string, scope: CommandScope, by: ScriptShell): Directories {
    if (by === "another shell") {
      this.readAsNew(text, newShell(scope.cwds, scope.input, scope.depth, scope.certainty));
      return scope.cwds;
    }
    this.facts = readFacts(text, this.facts);
    const script = this.#parse(text);
    const { shell } = this;
    if (script === null) return shell.cwds;
    const isCertain = shell.isCertain && by === "this shell";
    const inside = { ...shell, cwds: scope.cwds, depth: scope.depth, isCertain };
    if (by === "this shell, later") {
      this.#deferred.push({ body: { type: "CompoundList", pos: 0, end: 0, commands: script.commands }, shell: inside });
      return shell.cwds;
    }
    this.#within(inside, () => this.#readStatements(script.commands));
    return inside.cwds;
  }

  #readDeferred({ body, shell }: DeferredBody, ended: Shell): void {
    if (this.#readBodies.has(body)) return;
    this.#readBodies.add(body);
    const cwds = mergeDirectories(shell.cwds, ended.cwds);
    this.#within({ ...shell, cwds, isCertain: false }, () => this.#readNode(body));
  }

  /** The substitutions in a text that bash evaluates, as it would: quotes around them mean nothing. */
  #readEvaluated(text: string): void {
    const script = this.#parse(`: <<SALLYPORT\n${text}\nSALLYPORT\n`);
    if (script !== null) this.#fork(() => this.#readStatements(script.commands));
  }

  #parse(text: string): ParsedScript | null {
    try {
      const script = parseScript(text);
      this.#seeErrors(script);
      return script;
    } catch {
      this.findings.addUnreadable("the parser gave up");
      return null;
    }
  }

  #seeErrors({ errors }: ParsedScript): void {
    if (errors !== undefined && errors.length > 0) this.findings.addUnreadable(errors[0]?.message ?? "a syntax error");
  }

  #within(shell: Shell, read: () => void): void {
    const outer = this.shell;
    this.shell = shell;
    read();
    this.shell = outer;
  }

  /** A subshell: what it changes stays in it. */
  #fork(read: () => void, input: Input = this.shell.input): void {
    this.#within({ ...this.shell, functions: new Map(this.shell.functions), isCertain: false, input }, read);
  }

  /** One of several branches: returns where it leads, and leaves the shell where it was. */
  #branch(read: () => void): Directories {
    const { cwds, isCertain } = this.shell;
    this.shell.isCertain = false;
    read();
    const after = this.shell.cwds;
    this.shell.cwds = cwds;
    this.shell.isCertain = isCertain;
    return after;
  }

  #readStatements(statements: readonly Statement[]): void {
    for (const { command, background } of statements) {
      if (this.findings.isFull) return;
      if (background === true) this.#fork(() => this.#readNode(command));
      else this.#readNode(command);
    }
  }

  #readNode(node: Runnable): void {
    switch (node.type) {
      case "Command":
        return readCommandNode(node, this);
      case "Redirected": {
        for (const redirect of node.redirects) readRedirection(redirect, this);
        const inside = { ...this.shell, input: inputOf(node.redirects) ?? this.shell.input };
        this.#within(inside, () => this.#readNode(node.command));
        this.shell.cwds = inside.cwds;
        return;
      }
      case "Pipeline":
        return this.#readPipeline(node);
      case "AndOr":
        return this.#readAndOr(node);
      case "Subshell":
        return this.#fork(() => this.#readStatements(node.body.commands));
      case "Coproc":
        return this.#fork(() => this.#readNode(node.body), { text: null });
      case "BraceGroup":
        return this.#readStatements(node.body.commands);
      case "CompoundList":
        return this.#readStatements(node.commands);
      case "If": {
        const others = node.elif.map(({ clause, then }) => [clause, then]);
        this.#readNode(node.clause);
        return this.#readBranches([node.then], ...others, node.else === undefined ? [] : [node.else]);
      }
      case "While":
        return this.#readBranches([node.clause, node.body]);
      case "For":
      case "Select":
        for (const word of node.wordlist ?? []) visitNode(word, true, this);
        return this.#readBranches([node.body]);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update])
          if (part !== undefined) visitNode(part, true, this);
        return this.#readBranches([node.body]);
      case "Case":
        visitNode(node.word, true, this);
        for (const item of node.items) for (const word of item.pattern) visitNode(word, true, this);
        return this.#readBranches(...node.items.map(({ body }) => [body]), []);
      case "Function":
        return this.#defineFunction(node.name.value, node.body);
      case "TestCommand":
      case "ArithmeticCommand":
        return visitNode(node, true, this);
    }
  }

  #readPipeline({ commands }: Pipeline): void {
    const [first, ...others] = commands;
    if (first === undefined) return;
    if (others.length === 0) return this.#readNode(first);
    const { input } = this.shell;
    this.#fork(() => this.#readNode(first), input);
    for (const [index, command] of others.entries())
      this.#fork(
        () => this.#readNode(command),
        printedBy(commands[index], (word) => wordsOf(word, this)),
      );
  }

  #readAndOr(node: AndOr): void {
    const { shell } = this;
    /** Where the shell is when all went well so far; and when something did not. */
    let ran: Directories = shell.cwds;
    let failed: Directories = [];
    for (const [index, command] of node.commands.entries()) {
      const isElse = node.operators[index - 1] === "||";
      if (index === 0) {
        this.#readNode(command);
        ran = shell.cwds;
        continue;
      }
      shell.cwds = isElse ? mergeDirectories(ran, failed) : ran;
      if (!isElse) failed = mergeDirectories(failed, ran);
      const after = this.#branch(() => this.#readNode(command));
      ran = isElse ? mergeDirectories(ran, after) : after;
    }
    shell.cwds = mergeDirectories(ran, failed);
  }

  #readBranches(...branches: readonly (readonly Runnable[])[]): void {
    const { shell } = this;
    const ends = branches.map((nodes) => this.#branch(() => nodes.forEach((node) => this.#readNode(node))));
    const isSame = ends.every((end) => end.join("\0") === shell.cwds.join("\0"));
    if (!isSame) shell.cwds = mergeDirectories([null], [...shell.cwds, ...ends.flat()]);
  }

  #defineFunction(name: string, body: Runnable): void {
    const { shell } = this;
    const before = shell.isCertain ? undefined : shell.functions.get(name);
    const isCertain = shell.isCertain || before?.isCertain === true;
    // A body that defines itself again adds nothing.
    const others = before?.bodies.filter((other) => other !== body) ?? [];
    shell.functions.set(name, { bodies: [...others, body], isCertain });
    this.#deferred.push({ body, shell: { ...shell } });
  }

  #callFunction(name: string, cwds: Directories): { cwds: Directories; isCertain: boolean } | null {
    const found = this.shell.functions.get(name);
    if (found === undefined) return null;
    const { bodies, isCertain } = found;
    const numbers = bodies.map((body) => this.#bodyNumber(body));
    const key = JSON.stringify([name, numbers, cwds, this.shell.input !== null]);
    if (this.#calls.has(key)) return { cwds, isCertain };
    if (this.#calls.size >= MOST_CALLS) {
      this.findings.addUnknown();
      return { cwds: [null], isCertain };
    }
    this.#calls.add(key);
    const ends = bodies.flatMap((body) => {
      this.#readBodies.add(body);
      const inside = { ...this.shell, cwds };
      this.#within(inside, () => this.#readNode(body));
      return inside.cwds;
    });
    return { cwds: mergeDirectories(ends, []), isCertain };
  }

  #bodyNumber(body: Runnable): number {
    const number = this.#bodyNumbers.get(body) ?? this.#bodyNumbers.size;
    this.#bodyNumbers.set(body, number);
    return number;
  }
}
