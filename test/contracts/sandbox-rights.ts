// The part of the sandbox contract that another user's rights bear on, to be run as one.

import { realGate } from "./sandbox/context.ts";
import { sandboxContract } from "./sandbox.ts";

sandboxContract("unprivileged", realGate, "rights");
