// Lets the page in: it uses a link at once, and shows the server's message about a link that is not valid.
// Invariant: the page removes a link's token from the address and its history before it does anything else.

import { useEffect, useState } from "preact/hooks";
import type { Refused } from "../src/web/api.ts";
import { isEntered, onEntered } from "./client.ts";
import { enter } from "./page-connection.ts";
import { linkTo } from "./route.ts";
import { T } from "./text.tsx";

interface Entrance {
  readonly access: "entering" | "in" | "out";
  /** Why the last link was refused. */
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
      // A page that has entered stays in, even if the link was used before.
      setAccess(isEntered() ? "in" : "out");
    });
  }, [hash]);
  return { access, refused, forget: () => setRefused(null) };
}

function isLink(hash: string): boolean {
  return hash.startsWith("#enter=");
}

/** Shown on a page that has entered: another person may have used the link before. */
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
