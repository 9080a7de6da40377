// How much of the browser's storage is used, and whether the browser may remove it.

import { useState } from "preact/hooks";
import type { StorageState } from "../../src/web/api-work.ts";
import { sizeText } from "./size-text.ts";
import { useWork } from "./work-state.ts";

const NEARLY_FULL = 0.9;
/** A browser gives room in pieces of some MiB, so the last ones may be refused. */
const LITTLE_BYTES = 8 * 1024 * 1024;

function isNearlyFull({ usedBytes, quotaBytes }: StorageState): boolean {
  return quotaBytes !== null && (usedBytes >= quotaBytes * NEARLY_FULL || usedBytes + LITTLE_BYTES >= quotaBytes);
}

export function StorageWarning() {
  const { storage } = useWork();
  if (storage.isFull === true)
    return (
      <p class="notice is-high storage-full" role="alert">
        <strong>The storage is full.</strong> What does not fit is refused, and nothing is lost. There is room left to
        push what you have. Then discard the draft, or free space on this machine.
      </p>
    );
  if (!isNearlyFull(storage)) return null;
  return (
    <p class="notice is-high storage-full" role="alert">
      <strong>The storage is nearly full.</strong> What does not fit is refused, and nothing is lost. Push what you
      have, then discard the draft, or free space on this machine.
    </p>
  );
}

export function StorageLine() {
  const { storage } = useWork();
  const [answer, setAnswer] = useState<boolean | null>(null);
  const { usedBytes, quotaBytes } = storage;
  const isKept = storage.isPersisted || answer === true;
  // Only a window may ask, and the browser decides by itself.
  const keep = () => void navigator.storage.persist().then(setAnswer, () => setAnswer(false));
  return (
    <div class="storage">
      <p class="quiet storage-line">
        {sizeText(usedBytes)}
        {quotaBytes === null ? " stored in this browser." : ` of ${sizeText(quotaBytes)} that this browser gives.`}{" "}
        {isKept ? "The browser keeps it until you discard it." : "The browser may remove it when space is short."}
      </p>
      {!isKept && (
        <button class="button is-small" type="button" onClick={keep}>
          Keep it
        </button>
      )}
      {answer === false && !isKept && (
        <p class="quiet" role="status">
          The browser has not agreed. Push early.
        </p>
      )}
    </div>
  );
}
