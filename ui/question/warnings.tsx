// What the gate warns of before a person answers.

import { T } from "../text.tsx";

export function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="notice is-medium">
          <strong>Warning.</strong> <T text={warning} />
        </p>
      ))}
    </>
  );
}
