// The remembered answers: one line each, with who gave it and a button to revoke it.

import type { RememberedRow } from "../../src/web/api.ts";
import { OwnLimit } from "../devices/own-allowance.tsx";
import { agoText, momentText, spanText } from "../log/time-text.ts";
import { RevokeButton } from "../revoke.tsx";
import { shown, T } from "../text.tsx";

const decideWords = { allow: "Allowed", ask: "Asked", deny: "Refused" } as const;
const decideStyle = { allow: "", ask: " is-medium", deny: " is-high" } as const;

export function RememberedList({
  rows,
  label,
  onRevoked,
}: {
  readonly rows: readonly RememberedRow[];
  readonly label: string;
  readonly onRevoked: (row: RememberedRow) => void;
}) {
  return (
    <>
      <OwnLimit />
      <ul class="list remembered" aria-label={label}>
        {rows.map((row) => (
          <li key={`${row.scope} ${row.id}`}>
            <div class="remembered-words">
              <p>
                <span class={`badge${decideStyle[row.decide]}`}>{decideWords[row.decide]}</span>{" "}
                <code>
                  <T text={row.rule} maxLength={1_000} />
                </code>
              </p>
              <p class="quiet remembered-by">
                <Origin row={row} />
              </p>
            </div>
            <Revoke row={row} onRevoked={onRevoked} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Revoke({ row, onRevoked }: { readonly row: RememberedRow; readonly onRevoked: (row: RememberedRow) => void }) {
  const isYes = row.decide === "allow";
  return (
    <RevokeButton
      name={shown(row.rule, { maxLength: 120 })}
      path={`/api/remembered/${row.scope}/${encodeURIComponent(row.id)}`}
      title={`Revoke this ${isYes ? "yes" : "rule"}?`}
      onRevoked={() => onRevoked(row)}
    >
      <p>
        <code class="block revoke-rule">
          <T text={row.rule} maxLength={2_000} />
        </code>
      </p>
      <p>
        {isYes
          ? "It holds no longer, from the next call on. What needs a person is then asked about again."
          : "It holds no longer, from the next call on. What the other rules say then counts."}
      </p>
    </RevokeButton>
  );
}

const scopeWords = { session: "for this session", project: "in this project", everywhere: "everywhere" } as const;

function Origin({ row: { scope, agent, by, added, expires } }: { readonly row: RememberedRow }) {
  const now = Date.now();
  return (
    <>
      {scopeWords[scope]}
      {agent !== null && (
        <>
          , for <T text={agent} maxLength={60} />
        </>
      )}
      {by !== null && (
        <>
          , said by <T text={by} maxLength={80} />
        </>
      )}
      {added !== null && (
        <>
          {" "}
          <time dateTime={added} title={momentText(added, now)}>
            {agoText(added, now)}
          </time>
        </>
      )}
      {expires !== null && <>, for {spanText(Date.parse(expires) - now)} more</>}
    </>
  );
}
