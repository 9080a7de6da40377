// How a person starts this program: what is told to them can be typed as it stands.

import { displayCommand } from "./display.ts";

/** From words such as "review" and a question's name to a whole command line, quoted for a shell. */
export type OwnCommand = (...words: readonly string[]) => string;

/** Where nothing is known of the installation. */
export const bareOwnCommand: OwnCommand = (...words) => displayCommand(["sallyport", ...words]);
