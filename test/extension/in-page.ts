// Runs a program of a test in a page or a worker of the browser. It is text, because it uses what only browsers have.

import type { Page, Worker } from "playwright-core";

/** The value of an expression, awaited. */
export async function runInPage<T>(where: Page | Worker, expression: string): Promise<T> {
  const text = `(async () => (${expression}))()`;
  return (await (where as Pick<Page, "evaluate">).evaluate(text)) as T;
}

/** `200`, or `403 forbidden`; what the browser says, if it did not ask the server or shows no answer. */
export async function fetchIn(
  where: Page | Worker,
  url: string,
  { method = "GET", token, body, headers = {} }: FetchOptions = {},
): Promise<string> {
  const all = {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers,
  };
  const options = { method, headers: all, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return await runInPage(
    where,
    `fetch(${JSON.stringify(url)}, ${JSON.stringify(options)}).then(
      async (response) => {
        const said = await response.json().catch(() => ({}));
        return [response.status, said.error].filter((part) => part !== undefined).join(" ");
      },
      (error) => String(error),
    )`,
  );
}

interface FetchOptions {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
