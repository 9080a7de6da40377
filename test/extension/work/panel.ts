// The side panel in a tab of a real browser, at its place for working, before the test's server.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { WorkState } from "../../../src/web/api-work.ts";
import { axeProblems, newPage, type PageOptions } from "../../ui/fixture.ts";
import { openWorkServer, type WorkServer } from "./work-server.ts";

export interface PanelOptions extends PageOptions {
  readonly state?: WorkState;
  readonly files?: Readonly<Record<string, string>>;
  /** Whether the other place is paired with a gate, at `/other` of the server. */
  readonly isPaired?: boolean;
}

export interface OpenPanel {
  readonly server: WorkServer;
  readonly page: Page;
  /** Nothing that axe finds, and nothing wider than the panel. */
  readonly check: (what: string) => Promise<void>;
}

const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

export async function openPanelAt(
  t: TestContext,
  { state, files = {}, isPaired = false, ...options }: PanelOptions = {},
): Promise<OpenPanel> {
  const server = await openWorkServer(t, state);
  for (const [path, text] of Object.entries(files)) {
    server.base.set(path, text);
    server.files.set(path, text);
  }
  const page = await newPage(t, { width: 320, ...options });
  await page.addInitScript(`localStorage["sallyport.place"] ??= "work"`);
  await page.goto(`${server.url}/${isPaired ? "?paired" : ""}`);
  await page.getByText("Live", { exact: true }).waitFor();
  const check = async (what: string) => {
    assert.deepEqual(await axeProblems(page), [], what);
    assert.equal(await page.evaluate(overflow), 0, `${what} fits`);
  };
  return { server, page, check };
}
