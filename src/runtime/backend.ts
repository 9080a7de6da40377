// The backend: what all gates on one state directory share. It is opened once, and a gate is opened on it for each session.

import type { SharedStore } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";
import type { Config } from "../config/load.ts";
import { readEnvironment } from "../config/environment.ts";
import { flagsTo, ownCommand } from "../config/own-command.ts";
import type { StagedStore } from "../git/staged.ts";
import { sendNotice } from "../notify/send-notice.ts";
import { openSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { type AnswerService, openAnswerService } from "./answer-service.ts";
import { LocalStore } from "./local-store.ts";
import { createNotifier, type Notifier } from "./notifier.ts";
import { openSessionStores } from "./session-stores.ts";

export interface Backend {
  readonly config: Config;
  readonly journal: Journal;
  readonly sandbox: Sandbox;
  /** What a team would share. */
  readonly store: SharedStore;
  readonly staged: StagedStore;
  readonly answerService: AnswerService;
  /** Tells the person of questions in this store, once it is started. */
  readonly notifier: Notifier;
  /** The person's environment, read once. Signing in to another machine depends on it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The command with which a person starts this program on this backend. */
  readonly command: OwnCommand;
  close(): Promise<void>;
}

export function openBackend(config: Config): Backend {
  const { stateDirectory, configDirectory } = config;
  const environment = readEnvironment();
  const command = ownCommand(environment, flagsTo(config, environment));
  const store = new LocalStore({ stateDirectory, configDirectory, home: config.home }, { command });
  const { journal } = store;
  const sandbox = openSandbox({ stateDirectory, require: config.sandbox.require });
  const staged = openSessionStores(stateDirectory, journal);
  const notifier = createNotifier({
    channels: config.notify,
    send: sendNotice,
    queue: () => store.queue,
    environment,
  });
  return {
    config,
    journal,
    sandbox,
    store,
    staged,
    answerService: openAnswerService({ store, journal: () => journal, staged }),
    notifier,
    environment,
    command,
    async close() {
      sandbox.close();
      staged.close();
      if (config.notify.length > 0) await notifier.close();
      await store.close();
    },
  };
}
