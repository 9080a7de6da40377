// The sandbox contract, as whoever runs the tests.

import { realGate } from "../contracts/sandbox/context.ts";
import { sandboxContract } from "../contracts/sandbox.ts";

sandboxContract(process.getuid?.() === 0 ? "as root" : "unprivileged", realGate);
