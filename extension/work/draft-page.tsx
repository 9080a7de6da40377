// How the draft differs from its commit, and the way out: staged, asked about, and pushed as a branch or commit.

import { useState } from "preact/hooks";
import type { FileView as ChangedFile } from "../../src/web/api.ts";
import type { DraftChangeList } from "../../src/web/api-work.ts";
import { Problem } from "../../ui/problem.tsx";
import { Changes } from "../../ui/question/changes.tsx";
import { useSeen } from "../../ui/question/question-page.tsx";
import { useResource } from "../../ui/resource.ts";
import { PushForm } from "./push-form.tsx";
import { PushPanel } from "./push-panel.tsx";
import { usePush } from "./push-state.ts";
import { useDraftVersion } from "./work-state.ts";
import "../../ui/question/question.css";

export function DraftPage() {
  const { value, error } = useResource<DraftChangeList>("/api/work/changes", useDraftVersion());
  const { state } = usePush();
  const [isOpen, setIsOpen] = useState(false);
  const isAsked = state.kind === "staging" || state.kind === "pushing";
  const hasChanges = value !== null && value.view.length > 0;
  return (
    <>
      <div class="page-head draft-page-head">
        <h1>Changes</h1>
        {hasChanges && state.kind === "idle" && !isOpen && (
          <button class="button is-main" type="button" onClick={() => setIsOpen(true)}>
            Push…
          </button>
        )}
      </div>
      {error !== null && <Problem error={error} />}
      <PushPanel onAgain={() => setIsOpen(false)} />
      {hasChanges && state.kind === "idle" && isOpen && (
        <PushForm files={value.view} onBegun={() => setIsOpen(false)} onClose={() => setIsOpen(false)} />
      )}
      {value !== null && !hasChanges && state.kind === "idle" && (
        <p class="quiet">Nothing differs from the commit that you opened.</p>
      )}
      {/* While a push is asked about, its own diff is the one to read. */}
      {hasChanges && !isAsked && <DraftDiff key={value.digest} digest={value.digest} files={value.view} />}
    </>
  );
}

function DraftDiff({ digest, files }: { readonly digest: string; readonly files: readonly ChangedFile[] }) {
  const { seen, onSeen } = useSeen(digest);
  return <Changes at={`/api/work/changes/${encodeURIComponent(digest)}`} files={files} seen={seen} onSeen={onSeen} />;
}
