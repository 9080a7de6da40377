// The way in: a link is used at once, and what the server says of one that opens nothing is shown.
// Invariant: a link's token is taken out of the address and its history before anything else happens.

import { useEffect, useState } from "preact/hooks";
import type { Refused } from "../src/web/api.ts";
import { enter, isEntered, onEntered } from "./client.ts";
import { linkTo } from "./route.ts";
import { T } from "./text.tsx";

interface Entrance {
  readonly access: "entering" | "in" | "out";
  /** Why the last link opened nothing. */
  readonly refused: Refused | null;
  readonly forget: () => void;
}

export function useEntrance(hash: string): Entrance {
  const [access, setAccess] = useState<Entrance["access"]>(isLink(hash) ? "entering" : isEntered() ? "in" : "out");
  const [refused, setRefused] = useState<Refused | null>(null);
  useEffect(() => onEntered(() => setAccess(isEntered() ? "in" : "out")), []);
  useEffect(() => {
    if (!isLink(hash)) return;
    history.replaceState(null, "", linkTo.queue());
    dispatchEvent(new HashChangeEvent("hashchange"));
    setAccess("entering");
    void enter(hash.slice("#enter=".length)).then((said) => {
      setRefused(said);
      // A page that is in already stays in, also with a link that was used.
      setAccess(isEntered() ? "in" : "out");
    });
  }, [hash]);
  return { access, refused, forget: () => setRefused(null) };
}

function isLink(hash: string): boolean {
  return hash.startsWith("#enter=");
}

/** For a page that is in: somebody may have been in before it. */
export function LinkRefused({ refused, onClose }: { readonly refused: Refused; readonly onClose: () => void }) {
  return (
    <div class="notice link-refused" role="status">
      <p>
        <Reason refused={refused} />
      </p>
      <button type="button" class="button is-plain" onClick={onClose}>
        Dismiss
      </button>
    </div>
  );
}

export function NewLink({ refused }: { readonly refused: Refused | null }) {
  useEffect(() => {
    document.title = "Sallyport: open a new link";
  }, []);
  return (
    <main class="alone">
      <h1>Open a new link</h1>
      {refused !== null && (
        <p class="notice is-medium" role="alert">
          <Reason refused={refused} />
        </p>
      )}
      <p>
        This page works with the link that <code>sallyport serve</code> printed. Each link opens one browser, once, and
        ends with the program that printed it.
      </p>
      <p>
        Press Enter in the terminal where <code>sallyport serve</code> runs for a new link, or start it again. Questions
        wait meanwhile; <code>sallyport review</code> shows them in a terminal too.
      </p>
    </main>
  );
}

function Reason({ refused: { message, hint } }: { readonly refused: Refused }) {
  return (
    <>
      <strong>
        <T text={message} />
      </strong>{" "}
      {hint !== undefined && <T text={hint} />}
    </>
  );
}
