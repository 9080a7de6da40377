// The top of a push, above its files: its target, its message, who asks, and warnings.

import { Fragment } from "preact";
import type { PushAction } from "../../src/action/action.ts";
import { alongText } from "../../src/action/describe.ts";
import { T } from "../text.tsx";
import { Reasons } from "./question-body.tsx";
import { Warnings } from "./warnings.tsx";

const MESSAGE_CHARACTERS = 20_000;

export interface PushHeadProps {
  readonly push: PushAction;
  /** Why it is asked. */
  readonly reasons: readonly string[];
}

export function PushHead({ push, reasons }: PushHeadProps) {
  return (
    <>
      {push.isProtected && (
        <p class="notice is-high is-loud">
          <strong>Protected branch.</strong> This changes <T text={push.branch} /> itself.
        </p>
      )}
      {push.isNewBranch && (
        <p class="notice is-medium is-loud">
          <strong>New branch.</strong> <T text={push.branch} /> does not exist there yet.
        </p>
      )}
      {push.newOn?.along && (
        <div class="notice is-medium is-loud push-along">
          <strong>Takes along</strong> <T text={alongText(push.newOn.along)} />:
          <ul>
            {push.newOn.along.subjects.map((subject, index) => (
              <li key={index}>
                <T text={subject} maxLength={200} />
              </li>
            ))}
            {push.newOn.along.count > push.newOn.along.subjects.length && (
              <li>and {push.newOn.along.count - push.newOn.along.subjects.length} more</li>
            )}
          </ul>
        </div>
      )}
      <Warnings warnings={push.warnings} />
      <dl class="facts push-facts">
        <dt>Target</dt>
        <dd class="mono">
          <T text={push.place} />
        </dd>
        <dt>Branch</dt>
        <dd class="mono">
          <T text={push.branch} />
        </dd>
        {push.newOn !== undefined && (
          <>
            <dt>Built on</dt>
            <dd class="mono">
              <T text={push.newOn.branch ?? "what is checked out"} />, <Id id={push.newOn.commit} />
            </dd>
          </>
        )}
        <dt>Commit</dt>
        <dd class="mono">
          <Id id={push.oldCommit} /> → <Id id={push.commit} />
        </dd>
        <dt>Author</dt>
        <dd>
          <T text={push.author} />
        </dd>
        {(push.commits ?? [push]).map(({ commit, message }, at, { length }) => (
          <Fragment key={commit}>
            <dt>{length === 1 ? "Message" : `${at + 1} of ${length}`}</dt>
            <dd>
              {length > 1 && (
                <p class="mono">
                  <Id id={commit} />
                </p>
              )}
              <Message text={message} />
            </dd>
          </Fragment>
        ))}
      </dl>
      {reasons.length > 0 && <Reasons reasons={[...new Set(reasons)]} />}
    </>
  );
}

export function Message({ text }: { readonly text: string }) {
  return (
    <pre class="block">
      <T text={text.replace(/\n$/, "")} multiline maxLength={MESSAGE_CHARACTERS} />
    </pre>
  );
}

function Id({ id }: { readonly id: string | null }) {
  if (id === null) return <>nothing</>;
  return (
    <span title={id}>
      <T text={id.slice(0, 12)} />
    </span>
  );
}
