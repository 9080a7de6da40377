// What the suite knows about a public project: where it comes from, how its own tests are run, and how its code is edited and broken.

/** From the package sources that npm and apt are configured with. */
export type Source =
  /** Published packages that carry their tests, each unpacked into its directory. */
  | { readonly kind: "npm"; readonly packages: Readonly<Record<string, string>> }
  | { readonly kind: "debian-source"; readonly name: string; readonly version: string }
  /** A binary package that consists of sources, as Debian ships crates. */
  | { readonly kind: "debian-package"; readonly name: string; readonly version: string; readonly directory: string };

export interface Project {
  readonly name: string;
  readonly kind: string;
  readonly source: Source;
  /** Files that the package leaves out but its tests need. */
  readonly files?: Readonly<Record<string, string>>;
  /** Programs of the system, and the Debian packages that have them. A bare name may be anywhere on PATH. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Packages for the tests, with their versions, installed by npm instead of all that the project develops with. */
  readonly install?: readonly string[];
  /** Commands that are run once, after the download; they may use the network. */
  readonly build?: readonly string[];
  /** Commands that are run at the path where the project is tested, since their results hold that path. */
  readonly setUp?: readonly string[];
  /** Lines of .gitignore. */
  readonly ignore: readonly string[];
  /** A tracked text file in which the person has an uncommitted line. */
  readonly readme: string;
  readonly test: string;
  /** Each match in the output counts as many passed tests as its group says, or one. */
  readonly passed: RegExp;
  readonly edit: {
    readonly file: string;
    /** Occurs once in the file. */
    readonly text: string;
    /** Means the same. */
    readonly edited: string;
    /** Makes the tests fail. */
    readonly broken: string;
  };
}
