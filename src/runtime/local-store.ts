// Opens the stores of this machine: the record, and what a team would share. No other code opens them. Each file is opened when it is
// first needed, so that reading one does not open the others.

import type { QuestionQueue, RecordReader, SharedRules, SharedStore } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";
import type { ConfigPaths } from "../config/config-paths.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { type ApprovalsOptions, hasApprovals, openApprovals } from "../store/approvals.ts";
import type { Approvals } from "../store/approvals-database.ts";
import { createRecordReader } from "../store/record-reader.ts";
import { hasJournal, journalPath, openJournal } from "../store/sqlite.ts";
import { createLocalRules } from "./local-rules.ts";

export interface StorePaths {
  /** Contains the record and the queue. */
  readonly stateDirectory: string;
  /** Contains the record's key and the rules. */
  readonly configDirectory: string;
  readonly home: string;
}

export class LocalStore implements SharedStore {
  readonly #paths: StorePaths;
  readonly #options: ApprovalsOptions;
  #approvals: Approvals | null = null;
  #journal: Journal | null = null;
  #record: RecordReader | null = null;
  readonly rules: SharedRules;

  /** `command`: the command with which a person reaches this store. */
  static at({ stateDirectory, configDirectory, home }: ConfigPaths, command?: OwnCommand): LocalStore {
    const paths = { stateDirectory: stateDirectory.real, configDirectory: configDirectory.real, home };
    return new LocalStore(paths, command === undefined ? {} : { command });
  }

  constructor(paths: StorePaths, options: ApprovalsOptions = {}) {
    this.#paths = paths;
    this.#options = options;
    this.rules = createLocalRules({
      configDirectory: paths.configDirectory,
      home: paths.home,
      knownAnswers: () => (this.hasQuestions ? this.#openApprovals().sessionAnswers : null),
      answersToWrite: () => this.#openApprovals().sessionAnswers,
    });
  }

  /** This machine's record. Appending is synchronous. */
  get journal(): Journal {
    const { stateDirectory, configDirectory } = this.#paths;
    return (this.#journal ??= openJournal({ stateDirectory, keyDirectory: configDirectory }));
  }

  get queue(): QuestionQueue {
    return this.#openApprovals().queue;
  }

  get record(): RecordReader {
    return (this.#record ??= createRecordReader(this.journal));
  }

  /** Opening the record creates its files, so a caller that only reads checks this first. */
  get hasRecord(): boolean {
    return this.#journal !== null || hasJournal(this.#paths.stateDirectory);
  }

  get hasQuestions(): boolean {
    return this.#approvals !== null || hasApprovals(this.#paths.stateDirectory);
  }

  get recordPath(): string {
    return journalPath(this.#paths.stateDirectory);
  }

  close(): Promise<void> {
    this.#approvals?.close();
    this.#journal?.close();
    return Promise.resolve();
  }

  #openApprovals(): Approvals {
    return (this.#approvals ??= openApprovals(this.#paths.stateDirectory, this.#options));
  }
}
