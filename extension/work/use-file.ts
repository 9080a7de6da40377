// One file of the draft, and what the person has typed over it.
// Invariant: what was typed goes only when it was saved, or when the person took it back.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { DraftFile } from "../../src/web/api-work.ts";
import { type ApiError, get } from "../../ui/client.ts";
import { errorOf } from "../../ui/resource.ts";
import { fromField, type LineEnds, lineEndsOf, toField } from "./line-ends.ts";
import { keepUnsaved, type Unsaved, unsavedOf } from "./unsaved.ts";
import { workCalls } from "./work-calls.ts";

interface LoadedFile {
  /** Null: there is no such file. */
  readonly file: DraftFile | null;
}

export interface EditedFile {
  /** Null while it loads. */
  readonly loaded: LoadedFile | null;
  readonly error: ApiError | null;
  readonly ends: LineEnds;
  /** As the draft has it. */
  readonly own: string;
  readonly unsaved: Unsaved | null;
  /** True if the file was changed, made or deleted since the person began to type. */
  readonly isOther: boolean;
  readonly isSaving: boolean;
  readonly type: (text: string) => void;
  /** From now on what was typed replaces the file as it is now. */
  readonly keepMine: () => void;
  readonly takeBack: () => void;
  readonly save: () => void;
}

export function useFile(session: string, path: string, version: string): EditedFile {
  const [loaded, setLoaded] = useState<LoadedFile | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [unsaved, setUnsaved] = useState(() => unsavedOf(session, path));
  const [isSaving, setIsSaving] = useState(false);
  const asked = useRef(0);
  const keep = (next: Unsaved | null) => {
    keepUnsaved(session, path, next);
    setUnsaved(next);
  };

  const load = useCallback(async (): Promise<DraftFile | null> => {
    asked.current += 1;
    const own = asked.current;
    const file = await readFile(path);
    // An answer that was overtaken by a later one shows nothing.
    if (own === asked.current) {
      setLoaded({ file });
      setError(null);
    }
    return file;
  }, [path]);
  useEffect(() => {
    load().catch((thrown: unknown) => setError(errorOf(thrown)));
  }, [load, version]);
  useEffect(() => () => void (asked.current = -1), []);

  const file = loaded?.file ?? null;
  const hash = file?.hash ?? null;
  const ends = lineEndsOf(file?.text ?? "");
  const own = toField(file?.text ?? "");
  const save = (): void => {
    if (unsaved === null || isSaving || loaded === null) return;
    setIsSaving(true);
    const text = fromField(unsaved.text, ends);
    workCalls
      .save({ path, text, hash: unsaved.hash })
      .then(async () => {
        const now = await load();
        const since = unsavedOf(session, path);
        // What was typed while it was saved is based on what was saved, unless somebody else has written since.
        const base = now !== null && now.text === text ? now.hash : unsaved.hash;
        keep(since === null || since.text === unsaved.text ? null : { text: since.text, hash: base });
      })
      .catch(async (thrown: unknown) => {
        setError(errorOf(thrown));
        await load().catch(() => undefined);
        setError(errorOf(thrown));
      })
      .finally(() => setIsSaving(false));
  };
  return {
    loaded,
    error,
    ends,
    own,
    unsaved,
    isOther: unsaved !== null && loaded !== null && unsaved.hash !== hash,
    isSaving,
    type: (text) =>
      keep(
        text === own && (unsaved ?? { hash }).hash === hash
          ? null
          : { text, hash: unsaved === null ? hash : unsaved.hash },
      ),
    keepMine: () => unsaved !== null && keep({ text: unsaved.text, hash }),
    takeBack: () => keep(null),
    save,
  };
}

async function readFile(path: string): Promise<DraftFile | null> {
  try {
    return await get<DraftFile>(`/api/work/file?path=${encodeURIComponent(path)}`);
  } catch (thrown) {
    const error = errorOf(thrown);
    if (error.status === 404) return null;
    throw error;
  }
}
