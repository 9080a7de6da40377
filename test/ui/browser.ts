// The browser of the tests: one for the whole run where scripts/run-tests.js has started it, else one for each file.

import { existsSync } from "node:fs";
import { type Browser, type BrowserServer, chromium } from "playwright-core";

// Debian's chromium-headless-shell has the same engine without the windows around it: half of the processor time.
const headlessShell = "/usr/lib/chromium/chromium-headless-shell";
export const executablePath = existsSync(headlessShell) ? headlessShell : "/usr/bin/chromium";
const shared = "SALLYPORT_TESTS_BROWSER";
const launch = {
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
  ],
};

/** For all test files that are started from here on; null where there is no browser. */
export async function shareBrowser(): Promise<BrowserServer | null> {
  if (!existsSync(executablePath)) return null;
  const server = await chromium.launchServer(launch);
  process.env[shared] = server.wsEndpoint();
  return server;
}

export async function openBrowser(): Promise<Browser> {
  const endpoint = process.env[shared];
  return await (endpoint === undefined ? chromium.launch(launch) : chromium.connect(endpoint));
}
