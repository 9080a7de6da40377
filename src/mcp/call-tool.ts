// Handles one `tools/call`: from the request to the reply in MCP's format, with a question in between if one is needed.
// Invariant: this file decides nothing. It passes the gate's reply on completely, also if it is a no.

import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Approver, Question } from "../approval/approver.ts";
import { queueApprover } from "../approval/queue.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import type { CallOptions, Gate } from "../runtime/session-gate.ts";
import { modelReply } from "../runtime/model-reply.ts";
import type { Reply } from "../runtime/reply.ts";
import { limits } from "../shared/limits.ts";
import { type SessionId, sessionKey } from "../shared/session-id.ts";
import { announced, askByReturning, askWhileWaiting, type ShowForm } from "./ask.ts";
import type { McpClient } from "./client.ts";
import { answerOfForm, questionForm } from "./form.ts";
import { openLiveMessages } from "./live-messages.ts";

/** The state that the server sends to the client and receives back with its answer. It is signed, because the client could change it. */
export interface AskedState {
  readonly question: string;
  readonly session: string;
}

export interface ToolCall {
  readonly gate: Gate;
  readonly client: McpClient;
  readonly context: ServerContext;
  /** Null if the server cannot ask over this connection while a call runs. It then returns questions (2026). */
  readonly showForm: ShowForm | null;
  readonly states: RequestStateCodec<AskedState>;
}

const formName = "answer";

export async function callTool(
  tool: string,
  args: unknown,
  { gate, client, context, showForm, states }: ToolCall,
): Promise<CallToolResult | InputRequiredResult> {
  const returned: Question[] = [];
  const isTrusted = client.hasForms && gate.config.approvals.trustClient;
  const answered = isTrusted ? await takeAnswer(gate, client, context) : null;
  const live = openLiveMessages(context, tool, client.wantsDebugLog);
  const ask = (answerService: AnswerService): Approver => {
    // SECURITY(T31): a client's yes counts only if the configuration says that a person answers there.
    if (!isTrusted) return queueApprover(() => answerService.queue);
    if (showForm !== null) return askWhileWaiting(answerService, showForm, client.name);
    // The server does not show a form a second time if it came back without an answer.
    return askByReturning(answerService, (question) => returned.push(question), answered);
  };
  const options: CallOptions = {
    signal: cancelling(context, showForm === null),
    onOutput: live.onOutput,
    onProgress: live.onProgress,
    approvers: [
      (answerService) => announced(ask(answerService), (question) => live.waiting(question, answerService.queue)),
    ],
    maxWaitMs: live.isHeard ? undefined : limits.clientWaitS * 1000,
    claimedBy: client.claims ?? undefined,
  };
  const reply = await gate.call({ tool, args }, options);
  await live.end();
  const question = reply.ok ? undefined : returned.at(-1);
  const form = question === undefined ? null : questionForm(question);
  if (question === undefined || form === null) return resultOf(reply, args);
  const state = await states.mint({ question: question.id, session: sessionKey(idOf(gate)) }, context);
  return inputRequired({ inputRequests: { [formName]: inputRequired.elicit(form) }, requestState: state });
}

/**
 * Aborts when the client cancels. Its reason says whether it will not come back: a client whose time is over, or whose connection
 * ends, may make the same call again. A client of 2026 over HTTP cancels by ending its request, and can say no more. One of 2025 sends
 * a message to cancel; the end of its request means nothing.
 */
function cancelling({ mcpReq: { signal }, http }: ServerContext, isModern: boolean): AbortSignal {
  const controller = new AbortController();
  const cancel = () => {
    const reason: unknown = signal.reason;
    const isLate = typeof reason === "string" && /time[d -]*out/i.test(reason);
    if (isModern && http?.req?.signal.aborted === true) controller.abort();
    else controller.abort(isLate ? new DOMException(reason, "TimeoutError") : reason);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  return controller.signal;
}

/** Gives the answer in the request to the answer service. Returns the id of its question, whether it was answered or not. */
async function takeAnswer(gate: Gate, client: McpClient, { mcpReq }: ServerContext): Promise<string | null> {
  const state = mcpReq.requestState<AskedState>();
  if (mcpReq.inputResponses === undefined || typeof state !== "object") return null;
  if (state.session !== sessionKey(idOf(gate))) return null;
  const { answerService } = gate;
  const queued = await answerService.queue.find(state.question);
  if (queued === undefined || queued.answer !== null) return state.question;
  const answer = answerOfForm(queued.question, mcpReq.inputResponses[formName], client.name);
  if (answer !== null) await answerService.answer(state.question, answer);
  return state.question;
}

function idOf({ agent, session: name }: Gate): SessionId {
  return { agent, name };
}

function resultOf(reply: Reply, args: unknown): CallToolResult {
  const { structured, text } = modelReply(reply, args, "the structured reply has them");
  return {
    content: [{ type: "text", text }],
    structuredContent: structured,
    ...(reply.ok ? {} : { isError: true }),
  };
}
