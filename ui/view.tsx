// The view of each route. All but the queue and the questions are loaded when they are first opened.

import { lazy } from "./lazy.tsx";
import { QueuePage } from "./queue/queue-page.tsx";
import { QuestionPage } from "./question/question-page.tsx";
import { StagedPage } from "./question/staged-page.tsx";
import { linkTo, type Route } from "./route.ts";

const TogetherPage = lazy(async () => (await import("./question/together-page.tsx")).TogetherPage);
const LogPage = lazy(async () => (await import("./log/log-page.tsx")).LogPage);
const CallPage = lazy(async () => (await import("./log/call-page.tsx")).CallPage);
const SessionsPage = lazy(async () => (await import("./sessions/sessions-page.tsx")).SessionsPage);
const UnlandedPage = lazy(async () => (await import("./unlanded/unlanded-page.tsx")).UnlandedPage);
const SessionChangesPage = lazy(async () => (await import("./unlanded/session-changes-page.tsx")).SessionChangesPage);
const LandingPage = lazy(async () => (await import("./unlanded/landing-page.tsx")).LandingPage);
const MachinePage = lazy(async () => (await import("./machine/machine-page.tsx")).MachinePage);

export function View({ route }: { readonly route: Route }) {
  switch (route.name) {
    case "queue":
      return <QueuePage />;
    case "question":
      return <QuestionPage key={route.id} id={route.id} />;
    case "together":
      return <TogetherPage key={route.id} id={route.id} />;
    case "staged":
      return <StagedPage key={route.id} id={route.id} />;
    case "changes":
      return <UnlandedPage />;
    case "session":
      return <SessionChangesPage key={route.id} name={route.id} />;
    case "landing":
      return <LandingPage key={route.id} id={route.id} />;
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
