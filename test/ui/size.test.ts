// How much the browser has to load before the queue is there. The diff view, the log and the rest come when asked for.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { newPage, noBrowser, serve } from "./fixture.ts";

const skip = noBrowser;
const built = join(import.meta.dirname, "../../dist/ui");
const FIRST_SCRIPT_BYTES = 60_000;

test("the first load is under 60 KB of script, gzipped; nothing is inline", { skip }, async (t) => {
  const served = await serve(t);
  const page = await newPage(t);
  const scripts: string[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith(".js")) scripts.push(pathname);
  });
  await page.goto(served.link);
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  await page.waitForLoadState("load");
  const bytes = scripts.map((path) => gzipSync(readFileSync(join(built, path))).length);
  assert.ok(scripts.length > 0);
  assert.ok(!scripts.some((path) => path.includes("diff")), scripts.join(" "));
  const sum = bytes.reduce((all, one) => all + one, 0);
  assert.ok(sum < FIRST_SCRIPT_BYTES, `${sum} bytes: ${scripts.join(" ")}`);
  const html = readFileSync(join(built, "index.html"), "utf8");
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/i);
});
