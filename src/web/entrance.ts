// Lets pages in: exchanges a link's token for a page's token, which the API requires.

import { Hono } from "hono";
import { z } from "zod";
import type { Entered, EnterRequest } from "./api.ts";
import { readBody } from "./read-body.ts";
import { refuse } from "./refuse.ts";
import type { Tokens } from "./tokens.ts";
import { createWrongGuesses } from "./wrong-guesses.ts";

const enterRequest: z.ZodType<EnterRequest> = z.strictObject({ token: z.string().max(200) });

export const howToEnter = "Open the link that `sallyport serve` printed; Enter in its terminal prints a fresh one.";

const ifItWasNotYou =
  "If it was not you who opened it, end the server: Ctrl-C in its terminal. Otherwise, Enter there prints a fresh link.";

export function entranceRoutes(tokens: Tokens): Hono {
  const wrong = createWrongGuesses();
  return new Hono().post("/enter", async (c) => {
    const body = await readBody(c, enterRequest);
    if (body instanceof Response) return body;
    const page = tokens.enter(body.token);
    if (page !== null) return c.json<Entered>({ page });
    if (!(await wrong())) return refuse(c, 429, "too_many", "Too many wrong links at once.", howToEnter);
    return tokens.wasUsed(body.token)
      ? refuse(c, 401, "unauthorized", "This link was used before.", ifItWasNotYou)
      : refuse(c, 401, "unauthorized", "This link is not of the server that runs here now.", howToEnter);
  });
}
