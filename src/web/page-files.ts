// Serves the files of the built page: its document, and the files that it names.
// Invariant: the server never returns a file outside the page's directory, whatever the spelling or links.

import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { Context, Handler } from "hono";
import { refuseNotFound } from "./refuse.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

// Each part begins with a letter, a digit or an underscore, which excludes `..`, hidden files and percent signs that could
// encode them.
const plainPath = /^(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$/;
/** Vite names the files that it builds by their content. */
const hashed = /^\/assets\/.+-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/;

export function pageFiles(directory: string): Handler {
  return async (c) => {
    const path = c.req.path === "/" ? "/index.html" : c.req.path;
    const type = types[extname(path)];
    if (type === undefined || !plainPath.test(path)) return refuseNotFound(c, "This");
    const bytes = await readBelow(directory, path);
    if (bytes === null) return path === "/index.html" ? notBuilt(c) : refuseNotFound(c, "This");
    c.header("Content-Type", type);
    c.header("Cache-Control", hashed.test(path) ? "public, max-age=31536000, immutable" : "no-store");
    return c.body(bytes);
  };
}

async function readBelow(directory: string, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const [root, file] = await Promise.all([realpath(directory), realpath(join(directory, path))]);
    // SECURITY(T33): a symbolic link may lead out of the directory.
    return file.startsWith(root + sep) ? Uint8Array.from(await readFile(file)) : null;
  } catch {
    return null;
  }
}

function notBuilt(c: Context): Response {
  return c.text(
    "The page is not built yet: npm run build\n\nUntil then `sallyport review` shows the questions in a terminal.\n",
    503,
  );
}
