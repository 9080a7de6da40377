// The whole page: who may see it, where in it we are, and the frame round each view.

import { useEffect, useState } from "preact/hooks";
import { enter, isEntered, onEntered } from "./client.ts";
import { Frame } from "./frame.tsx";
import { lazy } from "./lazy.tsx";
import { QueuePage } from "./queue/queue-page.tsx";
import { QuestionPage } from "./question/question-page.tsx";
import { StagedPage } from "./question/staged-page.tsx";
import { linkTo, parseRoute, type Route, useHash } from "./route.ts";

const LogPage = lazy(async () => (await import("./log/log-page.tsx")).LogPage);
const CallPage = lazy(async () => (await import("./log/call-page.tsx")).CallPage);
const SessionsPage = lazy(async () => (await import("./sessions/sessions-page.tsx")).SessionsPage);
const MachinePage = lazy(async () => (await import("./machine/machine-page.tsx")).MachinePage);

export function App() {
  const hash = useHash();
  const access = useAccess(hash);
  if (access === "entering") return null;
  if (access === "out") return <NewLink />;
  const route = parseRoute(hash);
  return (
    <Frame route={route}>
      <View route={route} />
    </Frame>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.name) {
    case "queue":
      return <QueuePage />;
    case "question":
      return <QuestionPage key={route.id} id={route.id} />;
    case "staged":
      return <StagedPage key={route.id} id={route.id} />;
    case "log":
      return <LogPage />;
    case "call":
      return <CallPage key={route.id} id={route.id} />;
    case "sessions":
      return <SessionsPage />;
    case "machine":
      return <MachinePage />;
    case "unknown":
      return (
        <>
          <h1>There is nothing here</h1>
          <p>
            <a href={linkTo.queue()}>Go to the queue</a>
          </p>
        </>
      );
  }
}

type Access = "entering" | "in" | "out";

/** A link's token in the fragment is used at once and taken out of the address and its history. */
function useAccess(hash: string): Access {
  const [access, setAccess] = useState<Access>(isLink(hash) ? "entering" : isEntered() ? "in" : "out");
  useEffect(() => onEntered(() => setAccess(isEntered() ? "in" : "out")), []);
  useEffect(() => {
    if (!isLink(hash)) return;
    history.replaceState(null, "", linkTo.queue());
    dispatchEvent(new HashChangeEvent("hashchange"));
    setAccess("entering");
    // A page that is in already stays in, also with a link that was used.
    void enter(hash.slice("#enter=".length)).finally(() => setAccess(isEntered() ? "in" : "out"));
  }, [hash]);
  return access;
}

function isLink(hash: string): boolean {
  return hash.startsWith("#enter=");
}

function NewLink() {
  useEffect(() => {
    document.title = "Sallyport: open a new link";
  }, []);
  return (
    <main class="alone">
      <h1>Open a new link</h1>
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
