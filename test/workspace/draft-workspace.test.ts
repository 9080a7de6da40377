import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { DraftWorkspace } from "../../src/workspace/draft-workspace.ts";
import { workspaceContract } from "../contracts/workspace.ts";

const root = mkdtempSync(join(tmpdir(), "sallyport-draft-files-"));
after(() => rmSync(root, { recursive: true, force: true }));

workspaceContract("draft", (limits) => new DraftWorkspace(mkdtempSync(join(root, "draft-")), "", limits));
