// Examples of what the rules of the program table find, by the first name of a program.

export interface ProgramExamples {
  readonly [program: string]: {
    readonly shell?: ShellExamples;
    /** One for each effect rule, in order. A rule that several programs share has its examples with the first of them. */
    readonly effects?: readonly EffectExamples[];
    readonly starts?: StartExamples;
  };
}

/** Command lines that Shell starts, and that it refuses. */
export interface ShellExamples {
  readonly passes: readonly string[];
  readonly refused: readonly string[];
}

/** Scripts that have the effect, and scripts that have not. `hosts`: the host that a network rule finds in each of `is`. */
export interface EffectExamples {
  readonly kind: "privilege" | "interactive" | "destroy" | "network" | "push";
  readonly is: readonly string[];
  readonly isNot: readonly string[];
  readonly hosts?: readonly string[];
}

/** Each a script, and then the commands that it starts; `…` is an unknown word. */
export type StartExamples = readonly (readonly [script: string, ...started: string[]])[];
