// Walks a parsed script as bash would run it: directories are followed, functions are read where they are called,
// subshells forget. Branches are all taken.

import {
  type AndOr,
  type Assignment,
  type Command,
  type CommandNode,
  forEachChild,
  parse,
  type ParsedScript,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word as ParsedWord,
} from "unbash";
import {
  type Collector,
  type Directories,
  isBuiltin,
  readAssigned,
  readCommand,
  type Standing,
} from "./command-reader.ts";
import { type CommandContext, type CommandWord, unknownWord } from "./command-word.ts";
import { CopiedPrograms } from "./copied-programs.ts";
import type { Findings } from "./findings.ts";
import type { ScriptReader } from "./inner-row.ts";
import { isMisread, joinsLines, LatentCode, runningVariables } from "./latent-code.ts";
import { assignedInner } from "./running-variables.ts";
import { inputOf, printedBy, readRedirect } from "./redirections.ts";
import {
  type Input,
  inputOfCall,
  type Later,
  mergeDirectories,
  newShell,
  type Runnable,
  type Shell,
  unsetFunctions,
} from "./shell-state.ts";
import { commandWords, readFacts, type ScriptFacts } from "./script-words.ts";

type Node = SyntaxNode;

const MOST_CALLS = 300;

export class ScriptWalk {
  readonly collector: Collector;
  readonly #findings: Findings;
  readonly #context: CommandContext;
  #facts: ScriptFacts = { isHomeSet: false, isIfsSet: false, isPathSet: false };
  #shell: Shell;
  #latent = new LatentCode();
  /** Functions that were read from these directories. */
  readonly #called = new Set<string>();
  /** Traps, and the bodies of functions, which are read at the end if nobody called them. */
  #later: Later[] = [];
  readonly #read = new Set<Runnable>();
  readonly #numbers = new Map<Runnable, number>();

  constructor(findings: Findings, context: CommandContext) {
    this.#findings = findings;
    this.#context = context;
    this.#shell = newShell([context.cwd], inputOfCall(context), 0, false);
    for (const value of Object.values(context.variables ?? {})) this.#latent.seeText(value);
    this.collector = {
      context,
      canFindPrograms: () => !this.#facts.isPathSet,
      addEffect: (effect) => findings.addEffect(effect),
      addCommand: (words) => findings.addCommand(words),
      addUnknown: () => findings.addUnknown(),
      addUnreadable: (why) => findings.addUnreadable(why),
      readScript: (text, standing, by) => this.#readInner(text, standing, by),
      copies: new CopiedPrograms(),
      callFunction: (name, cwds) => this.#call(name, cwds),
    };
  }

  readText(text: string, cwds: Directories): void {
    this.#readAsNew(text, newShell(cwds, inputOfCall(this.#context), 0, false));
  }

  #readInner(text: string, standing: Standing, by: ScriptReader): Directories {
    if (by === "another shell") {
      this.#readAsNew(text, newShell(standing.cwds, standing.input, standing.depth, standing.isGuess));
      return standing.cwds;
    }
    this.#facts = readFacts(text, this.#facts);
    const script = this.#parse(text);
    const shell = this.#shell;
    if (script === null) return shell.cwds;
    const inside = {
      ...shell,
      cwds: standing.cwds,
      depth: standing.depth,
      isCertain: shell.isCertain && by === "this shell",
    };
    if (by === "this shell, later") {
      this.#later.push({ body: { type: "CompoundList", pos: 0, end: 0, commands: script.commands }, shell: inside });
      return shell.cwds;
    }
    this.#within(inside, () => this.#statements(script.commands));
    return inside.cwds;
  }

  /** A shell of its own: it has no functions yet, and what it leaves for its end is read here. */
  #readAsNew(text: string, shell: Shell): void {
    const [facts, latent, later] = [this.#facts, this.#latent, this.#later];
    this.#facts = readFacts(text, facts);
    this.#latent = new LatentCode(latent);
    this.#later = [];
    const script = this.#parse(text);
    if (script !== null) {
      this.#within(shell, () => {
        this.#statements(script.commands);
        // What is read may add to the list.
        for (let at = 0; at < this.#later.length; at++) this.#readLater(this.#later[at] as Later, shell);
        for (const latentText of this.#latent.texts) this.#readLatent(latentText);
      });
    }
    const isSplitOddly = this.#facts.isIfsSet && /\$\{?IFS/.test(text);
    if (this.#latent.mayRun || isSplitOddly || joinsLines(text)) this.#findings.addUnknown();
    [this.#facts, this.#latent, this.#later] = [facts, latent, later];
  }

  #readLater({ body, shell }: Later, ended: Shell): void {
    if (this.#read.has(body)) return;
    this.#read.add(body);
    const cwds = mergeDirectories(shell.cwds, ended.cwds);
    this.#within({ ...shell, cwds, isCertain: false }, () => this.#node(body));
  }

  /** The substitutions in a text that bash evaluates, as it would: quotes around them mean nothing. */
  #readLatent(text: string): void {
    const script = this.#parse(`: <<SALLYPORT\n${text}\nSALLYPORT\n`);
    if (script !== null) this.#fork(() => this.#statements(script.commands));
  }

  #parse(text: string): ParsedScript | null {
    try {
      const script = parse(text);
      this.#seeErrors(script);
      return script;
    } catch {
      this.#findings.addUnreadable("the parser gave up");
      return null;
    }
  }

  #seeErrors({ errors }: ParsedScript): void {
    if (errors !== undefined && errors.length > 0) this.#findings.addUnreadable(errors[0]?.message ?? "a syntax error");
  }

  #within(shell: Shell, read: () => void): void {
    const outer = this.#shell;
    this.#shell = shell;
    read();
    this.#shell = outer;
  }

  /** A subshell: what it changes stays in it. */
  #fork(read: () => void, input: Input = this.#shell.input): void {
    const inside = { ...this.#shell, functions: new Map(this.#shell.functions), isCertain: false, input };
    this.#within(inside, read);
  }

  /** One of several ways: gives where it leads, and leaves the shell where it stood. */
  #branch(read: () => void): Directories {
    const { cwds, isCertain } = this.#shell;
    this.#shell.isCertain = false;
    read();
    const after = this.#shell.cwds;
    this.#shell.cwds = cwds;
    this.#shell.isCertain = isCertain;
    return after;
  }

  #statements(statements: readonly Statement[]): void {
    for (const { command, background } of statements) {
      if (this.#findings.isFull) return;
      if (background === true) this.#fork(() => this.#node(command));
      else this.#node(command);
    }
  }

  #node(node: Runnable): void {
    const shell = this.#shell;
    switch (node.type) {
      case "Command":
        return this.#command(node);
      case "Redirected": {
        for (const redirect of node.redirects) this.#redirect(redirect);
        const input = inputOf(node.redirects) ?? shell.input;
        const inside = { ...shell, input };
        this.#within(inside, () => this.#node(node.command));
        shell.cwds = inside.cwds;
        return;
      }
      case "Pipeline":
        if (node.commands.length === 1) return this.#node(node.commands[0] as CommandNode);
        for (const [index, command] of node.commands.entries())
          this.#fork(
            () => this.#node(command),
            index === 0 ? shell.input : printedBy(node.commands[index - 1], (word) => this.#words(word)),
          );
        return;
      case "AndOr":
        return this.#andOr(node);
      case "Subshell":
        return this.#fork(() => this.#statements(node.body.commands));
      case "Coproc":
        return this.#fork(() => this.#node(node.body), { text: null });
      case "BraceGroup":
        return this.#statements(node.body.commands);
      case "CompoundList":
        return this.#statements(node.commands);
      case "If":
        return this.#branches(
          [node.clause],
          [node.then],
          ...node.elif.map(({ clause, then }) => [clause, then]),
          node.else === undefined ? [] : [node.else],
        );
      case "While":
        return this.#loop([node.clause, node.body]);
      case "For":
      case "Select":
        for (const word of node.wordlist ?? []) this.#visit(word, true);
        return this.#loop([node.body]);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) this.#visit(part, true);
        return this.#loop([node.body]);
      case "Case":
        this.#visit(node.word, true);
        for (const item of node.items) for (const word of item.pattern) this.#visit(word, true);
        return this.#branches([], ...node.items.map(({ body }) => [body]), []);
      case "Function":
        return this.#define(node.name.value, node.body);
      case "TestCommand":
      case "ArithmeticCommand":
        return this.#visit(node, true);
    }
  }

  #define(name: string, body: Runnable): void {
    const shell = this.#shell;
    const before = shell.isCertain ? undefined : shell.functions.get(name);
    const isCertain = shell.isCertain || before?.isCertain === true;
    // A body that defines itself again adds nothing.
    const others = before?.bodies.filter((other) => other !== body) ?? [];
    shell.functions.set(name, { bodies: [...others, body], isCertain });
    this.#later.push({ body, shell: { ...shell } });
  }

  #andOr(node: AndOr): void {
    const shell = this.#shell;
    /** Where it stands when all went well so far; and when something did not. */
    let ran: Directories = shell.cwds;
    let failed: Directories = [];
    for (const [index, command] of node.commands.entries()) {
      const isElse = node.operators[index - 1] === "||";
      if (index === 0) {
        this.#node(command);
        ran = shell.cwds;
        continue;
      }
      shell.cwds = isElse ? mergeDirectories(ran, failed) : ran;
      if (!isElse) failed = mergeDirectories(failed, ran);
      const after = this.#branch(() => this.#node(command));
      ran = isElse ? mergeDirectories(ran, after) : after;
    }
    shell.cwds = mergeDirectories(ran, failed);
  }

  #branches(first: readonly Runnable[], ...ways: readonly (readonly Runnable[])[]): void {
    const shell = this.#shell;
    for (const node of first) this.#node(node);
    const ends = ways.map((way) => this.#branch(() => way.forEach((node) => this.#node(node))));
    const isOne = ends.every((end) => end.join("\0") === shell.cwds.join("\0"));
    if (!isOne) shell.cwds = mergeDirectories([null], [...shell.cwds, ...ends.flat()]);
  }

  #loop(body: readonly Runnable[]): void {
    this.#branches([], body);
  }

  #command(node: Command): void {
    const shell = this.#shell;
    for (const part of node.prefix) if (part.type === "Assignment") this.#assignment(part);
    for (const redirect of node.redirects) this.#redirect(redirect);
    if (node.name === undefined) return;
    const words = [...this.#words(node.name)];
    const name = words[0]?.text ?? null;
    const isOwn = name === null || isBuiltin(name) || shell.functions.has(name);
    this.#visit(node.name, false);
    let first = 0;
    let { end } = node.name;
    for (const argument of node.args) {
      // What a program gets as text stays text; what the shell keeps may come back as code.
      const isLatent = isOwn && !/^(?:eval|trap)$/.test(name ?? "");
      if (argument.type === "Assignment") {
        words.push(this.#assignedWord(argument));
        this.#assignment(argument);
      } else {
        // A word that goes on where a substitution ends is read as two.
        if (argument.pos === end) words.splice(first, words.length, unknownWord);
        else {
          first = words.length;
          words.push(...this.#words(argument));
        }
        this.#visit(argument, isLatent);
      }
      end = argument.end;
    }
    if (name !== null && isBuiltin(name)) this.#latent.seeBuiltin(name, words.slice(1));
    if (name === "unset") unsetFunctions(shell, words.slice(1));
    const input = inputOf(node.redirects) ?? shell.input;
    const { cwds, depth, isGuess } = shell;
    shell.cwds = readCommand(words, { cwds, finds: "functions", input, isGuess, depth }, this.collector);
  }

  #words(word: ParsedWord): CommandWord[] {
    return commandWords(word, { context: this.#context, facts: this.#facts, cwd: this.#shell.cwds[0] ?? null });
  }

  #assignedWord({ name, value, append, index }: Assignment): CommandWord {
    const words = value.type === "Word" && index === undefined ? this.#words(value) : [];
    const [only] = words;
    if (words.length !== 1 || only?.text === null || only === undefined) return unknownWord;
    const text = `${name}${append === true ? "+" : ""}=${only.text}`;
    return { text, shape: text };
  }

  #assignment(assignment: Assignment): void {
    this.#visit(assignment, true);
    const { name, value } = assignment;
    const [word] = value.type === "Word" ? this.#words(value) : [];
    readAssigned(assignedInner(name, word ?? unknownWord), this.#shell, this.collector);
    if (!runningVariables.has(name)) return;
    if (name !== "PROMPT_COMMAND" && name !== "BASH_ENV" && name !== "ENV" && !/[$`]/.test(word?.text ?? "$")) return;
    this.#findings.addUnknown();
    if (name === "PROMPT_COMMAND" && typeof word?.text === "string") {
      const { cwds, depth } = this.#shell;
      this.#readAsNew(word.text, newShell(cwds, null, depth + 1, false));
    }
  }

  #redirect(redirect: Redirection): void {
    const shell = this.#shell;
    this.#visit(redirect, true);
    if (redirect.type !== "Redirect" || redirect.target === undefined) return;
    const found = readRedirect(redirect, this.#words(redirect.target), shell.cwds[0] ?? null);
    for (const effect of found.effects) this.#findings.addEffect(effect);
    if (!found.isKnown) this.#findings.isWholeKnown = false;
    if (found.isSplit === true) this.#findings.addUnknown();
  }

  /** The commands in words, subscripts, here-documents and arithmetic; each in a shell of its own. */
  #visit(node: Node, isLatent: boolean): void {
    if (node.type === "Script") {
      this.#seeErrors(node);
      return this.#fork(() => this.#statements(node.commands));
    }
    if (isMisread(node)) this.#findings.addUnknown();
    this.#latent.seeNode(node);
    if (isLatent) this.#latent.seeTextOf(node);
    if (node.type === "Word" && node.parts === undefined) return;
    forEachChild(node, (child) => this.#visit(child, isLatent));
  }

  #call(name: string, cwds: Directories): { cwds: Directories; isCertain: boolean } | null {
    const found = this.#shell.functions.get(name);
    if (found === undefined) return null;
    const { bodies, isCertain } = found;
    const key = JSON.stringify([name, bodies.map((body) => this.#numberOf(body)), cwds, this.#shell.input !== null]);
    if (this.#called.has(key)) return { cwds, isCertain };
    if (this.#called.size >= MOST_CALLS) {
      this.#findings.addUnknown();
      return { cwds: [null], isCertain };
    }
    this.#called.add(key);
    const ends = bodies.flatMap((body) => {
      this.#read.add(body);
      const inside = { ...this.#shell, cwds };
      this.#within(inside, () => this.#node(body));
      return inside.cwds;
    });
    return { cwds: mergeDirectories(ends, []), isCertain };
  }

  #numberOf(body: Runnable): number {
    const number = this.#numbers.get(body) ?? this.#numbers.size;
    this.#numbers.set(body, number);
    return number;
  }
}
