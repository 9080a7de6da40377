// The diff view alone in a real browser, under the page's own policy, with any files a test can think of.

import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { DiffFile } from "../../../src/action/diff-file.ts";
import { splitLines } from "../../../src/git/publish/line-diff.ts";
import type { FileView } from "../../../src/web/api.ts";
import { contextLines } from "../../../src/web/context-lines.ts";
import { testPage } from "../../fixtures/test-page.ts";
import { newPage, type PageOptions } from "../fixture.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface ShownFile extends DiffFile {
  readonly before?: Uint8Array | undefined;
  readonly after?: Uint8Array | undefined;
  /** What it becomes: the unchanged lines of it can be fetched. */
  readonly whole?: string | undefined;
}

const builtPage = testPage(join(import.meta.dirname, "page"));

/** `missing`: files whose lines the server does not give the first time; -1 - n: whose unchanged lines. */
export interface DiffPageOptions extends PageOptions {
  readonly missing?: readonly number[];
  /** False: for somebody who has turned it off. */
  readonly isWrapped?: boolean;
}

export async function openDiff(
  t: TestContext,
  files: readonly ShownFile[],
  options: DiffPageOptions = {},
): Promise<Page> {
  const server = serveFiles(await builtPage(), files, new Set(options.missing ?? []));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const page = await newPage(t, options);
  if (options.isWrapped === false) await page.addInitScript(`localStorage["sallyport.diff.wrap"] ??= "no"`);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.locator(".diff").waitFor();
  return page;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
};

function serveFiles(page: string, files: readonly ShownFile[], missing: Set<number>): Server {
  return createServer((request, response) => {
    response.setHeader("content-security-policy", policy);
    response.setHeader("x-content-type-options", "nosniff");
    const path = request.url ?? "/";
    const [, n, side] = /^\/files\/(\d+)(?:\/(before|after|lines))?(?:\?|$)/.exec(path) ?? [];
    const file = n === undefined ? undefined : files[Number(n)];
    if (path === "/files") response.end(JSON.stringify(files.map(({ whole: _whole, ...file }) => viewOf(file))));
    else if (file !== undefined && side === undefined) {
      if (missing.delete(Number(n))) response.statusCode = 500;
      const newLines = file.whole === undefined ? undefined : splitLines(file.whole).lines.length;
      response.end(JSON.stringify({ hunks: file.hunks, newLines }));
    } else if (file !== undefined && side === "lines") {
      if (missing.delete(-1 - Number(n))) response.statusCode = 500;
      const { searchParams } = new URL(path, "http://localhost");
      const [from, to] = [Number(searchParams.get("from")), Number(searchParams.get("to"))];
      response.end(JSON.stringify({ lines: contextLines(splitLines(file.whole ?? ""), from, to) }));
    } else if (file !== undefined) {
      response.setHeader("content-type", file.path.endsWith(".svg") ? "image/svg+xml" : "image/png");
      response.end(side === "before" ? file.before : file.after);
    } else sendPage(page, path, response);
  });
}

function sendPage(page: string, path: string, response: import("node:http").ServerResponse): void {
  try {
    const name = path === "/" ? "/index.html" : path;
    const content = readFileSync(join(page, name));
    response.setHeader("content-type", types[extname(name)] ?? "application/octet-stream");
    response.end(content);
  } catch {
    response.statusCode = 404;
    response.end();
  }
}

function viewOf({ hunks, before, after: next, ...file }: ShownFile): FileView {
  return {
    ...file,
    lines: hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0),
    isPicture: before !== undefined || next !== undefined,
  };
}
