// The top of a push, above its files: its target, its message, who asks, and warnings.

import { type ComponentChildren, Fragment } from "preact";
import type { PushAction } from "../../src/action/action.ts";
import { alongText } from "../../src/action/describe.ts";
import { T } from "../text.tsx";
import { Warnings } from "./warnings.tsx";

const MESSAGE_CHARACTERS = 20_000;

export interface PushHeadProps {
  readonly push: PushAction;
  /** Whether the title above it names the target and the branch, whole. */
  readonly isTitled?: boolean;
}

export function PushHead({ push, isTitled = false }: PushHeadProps) {
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
      <dl class="push-facts">
        {!isTitled && (
          <>
            <Fact label="Target">
              <T text={push.place} />
            </Fact>
            <Fact label="Branch">
              <T text={push.branch} />
            </Fact>
          </>
        )}
        {push.newOn !== undefined && (
          <Fact label="Built on">
            <T text={push.newOn.branch ?? "what is checked out"} />, <Id id={push.newOn.commit} />
          </Fact>
        )}
        <Fact label="Commit">
          <Id id={push.oldCommit} /> → <Id id={push.commit} />
        </Fact>
        <Fact label="Author">
          <T text={push.author} />
        </Fact>
      </dl>
      <div class="push-messages" role="group" aria-label="Message" tabIndex={0}>
        {(push.commits ?? [push]).map(({ commit, message }, at, { length }) => (
          <Fragment key={commit}>
            {length > 1 && (
              <p class="mono quiet">
                {at + 1} of {length} <Id id={commit} />
              </p>
            )}
            <Message text={message} />
          </Fragment>
        ))}
      </div>
    </>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="mono">{children}</dd>
    </div>
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
