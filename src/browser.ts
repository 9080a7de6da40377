// The part of the library that runs in a browser, exported as `sallyport/browser`. Named exports only, each a stable interface.
// Invariant: neither this module nor its imports use a module or a global of node.

export type { Action, UnsealedAction, Step, View } from "./action/action.ts";
export { describeAction } from "./action/describe.ts";
export { sealAction } from "./action/digest.ts";
export type { Effect } from "./action/effect.ts";
export { type ApprovalContext, approve } from "./approval/approve.ts";
export type { Answer, Approver, Question, Response, SettledAnswer } from "./approval/approver.ts";
export type { Grant } from "./approval/grant.ts";
export { queueApprover } from "./approval/queue.ts";
export {
  openBrowserGate,
  type BrowserGate,
  type BrowserGateOptions,
  type TokenSource,
} from "./browser/browser-gate.ts";
export { type BrowserStores, openBrowserStores, type StoresContext } from "./browser/browser-stores.ts";
export {
  type JournalKind,
  openSqlitePool,
  openWasmDatabase,
  type SqliteModule,
  type SqlitePool,
  WasmDatabase,
} from "./browser/wasm-database.ts";
export { commandEffects, readScript, type ScriptReading } from "./command/script/script.ts";
export type { CommandContext } from "./command/words/command-line.ts";
export { objectHash } from "./git/object-hash.ts";
export { type CommitContent, encodeCommit, type Identity, type Signature } from "./git/publish/commit.ts";
export { diffFiles, type FilePair, type FileSide } from "./git/publish/diff.ts";
export { renderDiffText } from "./git/publish/diff-text.ts";
export { type GitObject, makeObject, type ObjectFormat, type ObjectHash, type ObjectId } from "./git/publish/object.ts";
export { type PackContext, type PackObject, writePack } from "./git/publish/pack.ts";
export { buildTree, type BuiltTree, type FileChange } from "./git/publish/tree.ts";
export { createPulledBase } from "./git/publish/push/pulled-base.ts";
export type { SessionCommits } from "./git/publish/push/session-commits.ts";
export type { StagedCommit, StagedStore } from "./git/staged.ts";
export { beginDeviceSignIn, type DeviceSignIn, type DeviceSignInContext } from "./git/target/github/device-sign-in.ts";
export { githubTarget } from "./git/target/github/github.ts";
export { createGithubApi, type GithubApi, type GithubContext } from "./git/target/github/github-api.ts";
export type { GitTarget, Landing, LandedFile, TargetAccess, TargetReading } from "./git/target/target.ts";
export { parseGithubRepo } from "./git/target/url.ts";
export { type Capability, createCapability, derive, type FsGrant } from "./policy/capability.ts";
export { defaultRunLimits } from "./shared/run-limits.ts";
export type { Decision, Finding, Verdict } from "./policy/decision.ts";
export { judge } from "./policy/evaluate.ts";
export { createPolicy, type Policy } from "./policy/policy.ts";
export { compileRule, type Rule, type RuleText } from "./policy/rule.ts";
export { RuleIndex } from "./policy/rule-index.ts";
export type { BoxChange, BoxEnd, BoxFile, BoxRunListener, BoxTask, WasmBox } from "./process/wasm-box.ts";
export { type Call, type CallRequest, parseCall } from "./runtime/call.ts";
export type { Reply } from "./runtime/reply.ts";
export type { CallOptions, Gate } from "./runtime/session-gate.ts";
export type { Failure, FailureSlug } from "./shared/failure.ts";
export type { Hashes, HashName, RunningHash } from "./shared/hash.ts";
export { portableHashes } from "./shared/portable-hashes.ts";
export type { Result } from "./shared/result.ts";
export { registerBashTool } from "./tools/bash.ts";
export { registerBuiltinTools } from "./tools/builtin.ts";
export { registerPythonTool } from "./tools/python.ts";
export { createRegistry, type Registry } from "./tools/registry.ts";
export type { Plan, PlanContext, Tool } from "./tools/tool.ts";
export type { WorkspaceLocation } from "./workspace/location.ts";
export { createMemoryWorkspace } from "./workspace/memory.ts";
export { MemoryLocation } from "./workspace/memory-location.ts";
export {
  openPackWorkspace,
  type PackHandles,
  type PackOptions,
  type PackWorkspace,
} from "./workspace/pack-workspace.ts";
export { parseWorkspacePath, type WorkspacePath } from "./workspace/path.ts";
export type { Workspace } from "./workspace/workspace.ts";
