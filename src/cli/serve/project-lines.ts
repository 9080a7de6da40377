// What `sallyport serve` prints about the project: how a client starts the server for it, and that it is not the person's if `npm start`
// began in the clone.

import { flagsTo, ownCommand, withPathFlags } from "../../config/own-command.ts";
import { isOwnDirectory, serverStart } from "../../config/server-command.ts";
import type { Config } from "../../config/load.ts";
import type { Environment } from "../../config/environment.ts";
import { displayCommand } from "../../shared/display.ts";

export function projectLines(config: Config, environment: Environment): readonly string[] {
  const { project, ...flags } = flagsTo(config, environment);
  const { command, args } = serverStart({ environment, project: config.project });
  const client = (named: typeof flags & { readonly project?: string | undefined }) =>
    displayCommand([command, ...withPathFlags(args, named)]);
  if (!isOwnDirectory(config.project)) return [`For an MCP client:  ${client({ ...flags, project })}`];
  return [
    `For an MCP client:  ${client(flags)}, started in your project`,
    `For your project:   cd YOUR_PROJECT && ${ownCommand(environment, flags)("serve")}, since this page is for Sallyport's own directory`,
  ];
}
