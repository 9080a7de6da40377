// Shows an error in place of the content, and what would fix it.

import type { ShownConflict } from "../src/git/publish/push/shown-conflict.ts";
import { displayName } from "../src/shared/odd-name.ts";
import type { ApiError } from "./client.ts";
import { T } from "./text.tsx";

export function Problem({ error }: { readonly error: ApiError }) {
  return (
    <div class="notice is-high" role="alert">
      <ErrorText error={error} />
    </div>
  );
}

export function ErrorText({ error: { refused } }: { readonly error: ApiError }) {
  return (
    <>
      <p class="problem">
        <T text={refused.message} />
      </p>
      {refused.hint !== undefined && (
        <p class="problem-hint">
          <T text={refused.hint} />
        </p>
      )}
      {refused.conflict !== undefined && <ConflictSides conflict={refused.conflict} />}
    </>
  );
}

/** Both sides of what does not fit. */
export function ConflictSides({ conflict: { files } }: { readonly conflict: ShownConflict }) {
  return (
    <>
      {files.map(({ path, reason, sides }) => (
        <details key={path} open>
          <summary>
            <T text={displayName(path)} maxLength={1_000} />: {reason}
          </summary>
          {sides !== "" && (
            <>
              <p class="quiet">- as the target has it, + as the commit has it</p>
              <pre class="mono">
                <T text={sides} multiline />
              </pre>
            </>
          )}
        </details>
      ))}
    </>
  );
}
