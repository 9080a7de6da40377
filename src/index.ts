// The library. Named exports only, each a stable interface.

export type { Action, Step, View } from "./action/action.ts";
export { describeAction } from "./action/describe.ts";
export type { Effect } from "./action/effect.ts";
export { allowAll } from "./approval/allow-all.ts";
export type { Answer, Approver, Question, Response, SettledAnswer } from "./approval/approver.ts";
export { type Offer, type Scope } from "./approval/offer.ts";
export { queueApprover } from "./approval/queue.ts";
export type { QuestionQueue } from "./approval/shared-store.ts";
export type { Entry } from "./audit/entry.ts";
export type { Journal } from "./audit/journal.ts";
export { type Capability, derive, type FsGrant, type NarrowerCapability } from "./policy/capability.ts";
export type { Decision, Finding, Verdict } from "./policy/decision.ts";
export type { RuleText } from "./policy/rule.ts";
export type { Enforced } from "./process/outcome.ts";
export type { OutputStream, RunListener } from "./process/starter.ts";
export type { CallRequest } from "./runtime/call.ts";
export { createGate, type GateOptions } from "./runtime/gate.ts";
export type { Gate } from "./runtime/session-gate.ts";
export { GateError } from "./runtime/gate-error.ts";
export type { AnswerService } from "./runtime/answer-service.ts";
export type { Reply } from "./runtime/reply.ts";
export { type Probe, probe } from "./sandbox/probe.ts";
export type { Failure, FailureSlug } from "./shared/failure.ts";
export type { Result } from "./shared/result.ts";
export { registerExecTool } from "./tools/exec.ts";
export type { ExecutionResult } from "./tools/programs/execution-result.ts";
export { registerGitTool } from "./tools/git.ts";
export { registerShellTool } from "./tools/shell.ts";
export { createRegistry, type Registry } from "./tools/registry.ts";
export { registerBashTool } from "./tools/bash.ts";
export { registerBuiltinTools } from "./tools/builtin.ts";
export { registerPythonTool } from "./tools/python.ts";
export {
  bashRequirements,
  checkRequirements,
  filesExist,
  gitDiffExists,
  noOutsideWrites,
  noSudo,
  nonInteractive,
  pythonRequirements,
  type Requirement,
  underOutputLimits,
  underTimeout,
} from "./tools/programs/requirements.ts";
export type { ResultOf, ToolResults } from "./tools/tool-results.ts";
export type { Plan, PlanContext, StepOutcome, Tool } from "./tools/tool.ts";
