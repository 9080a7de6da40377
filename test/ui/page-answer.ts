// A person's answer, given with the page's own token from inside the page: for tests of other views than the question's.

import type { Page } from "playwright-core";
import type { Asker } from "../fixtures/asking.ts";

export async function answerFromPage(
  page: Page,
  id: string,
  answer: { decision: "allow" | "deny"; scope: string; reason?: string },
): Promise<void> {
  const status = await page.evaluate(
    `(async () => {
      const headers = { Authorization: "Bearer " + localStorage.getItem("sallyport.page"), "Content-Type": "application/json" };
      const path = "/api/questions/" + ${JSON.stringify(encodeURIComponent(id))};
      const { digest } = await (await fetch(path, { headers })).json();
      const body = JSON.stringify({ ...${JSON.stringify(answer)}, digest });
      return (await fetch(path + "/answer", { method: "POST", headers, body })).status;
    })()`,
  );
  if (status !== 200) throw new Error(`the answer was not taken: ${String(status)}`);
}

/** The id of the one that waits, as soon as one does. */
export async function waitingQuestion(asker: Asker): Promise<string> {
  for (;;) {
    const [first] = asker.waiting();
    if (first !== undefined) return first.id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
