// What a person does in the side panel and on GitHub's page, by real clicks and keys.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { untilArmed } from "../../ui/fixture.ts";
import type { OwnGate } from "../gate/open-gate.ts";

export interface PersonSettings {
  readonly clientId: string;
  readonly githubUrl: string;
  readonly modelUrl: string;
  readonly key: string;
}

export async function setUp(panel: Page, { clientId, githubUrl, modelUrl, key }: PersonSettings): Promise<void> {
  await panel.getByRole("button", { name: "Work" }).click();
  await panel.getByLabel("Client id").fill(clientId);
  await panel.getByLabel("Address of GitHub").fill(githubUrl);
  await panel.getByLabel("Provider").selectOption("openai");
  await panel.getByLabel("Model").fill("scripted");
  await panel.getByLabel("Address", { exact: true }).fill(modelUrl);
  await panel.getByLabel("Key").fill(key);
  await panel.getByRole("button", { name: "Save" }).click();
}

/** The code is read in the panel, and typed on the page that the panel opens. */
export async function signInByCode(panel: Page): Promise<void> {
  await panel.getByRole("button", { name: "Sign in to GitHub" }).click();
  const code = await panel.locator(".user-code").innerText();
  const opening = panel.context().waitForEvent("page");
  await panel.getByRole("link", { name: "Open GitHub" }).click();
  const github = await opening;
  await github.locator("input[name=user_code]").fill(code);
  await github.getByRole("button", { name: "Authorize" }).click();
  await github.getByText("Congratulations").waitFor();
  await github.close();
  await panel.getByRole("heading", { name: "Choose a repository" }).waitFor();
}

export async function approveHere(panel: Page): Promise<void> {
  await panel.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(panel);
  await panel.getByRole("button", { name: /Approve once/ }).click();
}

export async function openRepository(panel: Page, name: string): Promise<void> {
  await panel.getByLabel("Search").fill(name);
  await panel.getByRole("button", { name }).click();
  await panel.getByRole("button", { name: "Open" }).click();
  await approveHere(panel);
  await panel.getByRole("heading", { name }).waitFor();
}

/** Stages all that has changed, and answers whether GitHub may be asked what is there. The question about the commit is on the screen then. */
export async function stageAll(panel: Page, message: string, branch: string): Promise<void> {
  await panel.getByRole("button", { name: "Push…" }).click();
  await panel.getByLabel("Message").fill(message);
  await panel.getByLabel("Branch").fill(branch);
  await panel.getByRole("button", { name: "Stage and push" }).click();
  await approveHere(panel);
  await panel.getByText("New branch.").waitFor();
  await panel.getByRole("heading", { name: "Your answer" }).waitFor();
}

/** The commit at the end of a branch, as the server has it. */
export async function commitAt(
  gate: OwnGate,
  branch: string,
): Promise<{ readonly sha: string; readonly message: string }> {
  const answer = await fetch(`${gate.emulatorUrl}/repos/octo/r0/commits?sha=${branch}`);
  const [first] = (await answer.json()) as { readonly sha: string; readonly commit: { readonly message: string } }[];
  assert.ok(first !== undefined, `${branch} has a commit`);
  return { sha: first.sha, message: first.commit.message };
}

export async function contentAt(gate: OwnGate, branch: string, path: string): Promise<string> {
  const answer = await fetch(`${gate.emulatorUrl}/repos/octo/r0/contents/${path}?ref=${branch}`);
  const { content } = (await answer.json()) as { readonly content: string };
  return Buffer.from(content, "base64").toString();
}
