// Shows an error in place of the content, and what would fix it.

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
    </>
  );
}
