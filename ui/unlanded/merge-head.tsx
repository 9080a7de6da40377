// What a landing in the person's files does to files that the person has changed too.

import type { LandingView } from "../../src/web/api-changes.ts";
import { displayName } from "../../src/shared/odd-name.ts";
import { T } from "../text.tsx";

const SHOWN = 200;

export function MergeHead({ view: { merged, conflicts, left } }: { readonly view: LandingView }) {
  return (
    <>
      {conflicts.length > 0 && (
        <div class="notice is-high is-loud">
          <strong>Conflict with your changes.</strong> These files get git's marks:
          <Paths paths={conflicts} />
        </div>
      )}
      {left.length > 0 && (
        <div class="notice is-medium is-loud">
          <strong>Left as they are:</strong>
          <ul class="paths">
            {left.slice(0, SHOWN).map(({ path, why }) => (
              <li key={path}>
                <T text={displayName(path)} maxLength={1_000} />: <T text={why} maxLength={500} />
              </li>
            ))}
            <More count={left.length} />
          </ul>
        </div>
      )}
      {merged.length > 0 && (
        <div class="notice">
          <strong>Merged with your changes:</strong>
          <Paths paths={merged} />
        </div>
      )}
      <p class="quiet">The diff is that of your files, as they are now. Nothing is committed or staged.</p>
    </>
  );
}

export function Paths({ paths }: { readonly paths: readonly string[] }) {
  return (
    <ul class="paths">
      {paths.slice(0, SHOWN).map((path) => (
        <li key={path} class="mono">
          <T text={displayName(path)} maxLength={1_000} />
        </li>
      ))}
      <More count={paths.length} />
    </ul>
  );
}

function More({ count }: { readonly count: number }) {
  return count > SHOWN ? <li>and {count - SHOWN} more</li> : null;
}
