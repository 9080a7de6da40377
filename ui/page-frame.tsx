// The frame of the page, which the side panel shows too when it reviews for a paired gate: its main views, and which one is shown.

import type { ComponentChildren } from "preact";
import { OwnAllowance } from "./devices/own-allowance.tsx";
import { Frame, type MainView } from "./frame.tsx";
import type { Live } from "./live-events.ts";
import { linkTo, type Route } from "./route.ts";

function mainViews({ state }: Live): readonly MainView[] {
  const waiting = { number: state?.waiting ?? 0, what: "waiting" };
  const unlanded = { number: state?.unlanded ?? 0, what: "not landed", isQuiet: true };
  return [
    { name: "queue", label: "Queue", link: linkTo.queue(), count: waiting },
    { name: "changes", label: "Changes", link: linkTo.changes(), count: unlanded },
    { name: "log", label: "Log", link: linkTo.log() },
    { name: "sessions", label: "Sessions", link: linkTo.sessions() },
    { name: "machine", label: "Machine", link: linkTo.machine() },
  ];
}

const placeOf: Readonly<Record<Route["name"], string>> = {
  queue: "queue",
  question: "queue",
  together: "queue",
  staged: "queue",
  changes: "changes",
  session: "changes",
  landing: "changes",
  log: "log",
  call: "log",
  sessions: "sessions",
  machine: "machine",
  unknown: "",
};

export const titleOf: Readonly<Record<Route["name"], string>> = {
  queue: "Queue",
  question: "Question",
  together: "Questions that are alike",
  staged: "Staged commit",
  changes: "Changes",
  session: "Changes of a session",
  landing: "Landing",
  log: "Log",
  call: "Call",
  sessions: "Sessions",
  machine: "Machine",
  unknown: "Sallyport",
};

const wide: readonly Route["name"][] = ["question", "staged", "session", "landing"];

/** Views with a diff use the whole window. */
export function isWide({ name }: Route): boolean {
  return wide.includes(name);
}

export function viewOf(route: Route): string {
  return "id" in route ? `${route.name} ${route.id}` : route.name;
}

export interface PageFrameProps {
  readonly route: Route;
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function PageFrame({ route, beside, children }: PageFrameProps) {
  return (
    <OwnAllowance>
      <Frame
        current={placeOf[route.name]}
        title={titleOf[route.name]}
        view={viewOf(route)}
        isWide={isWide(route)}
        viewsOf={mainViews}
        beside={beside}
      >
        {children}
      </Frame>
    </OwnAllowance>
  );
}
