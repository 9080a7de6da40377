// The place where a person works on a repository of GitHub in this browser: what is missing first, then the draft.

import type { ComponentChildren } from "preact";
import type { WorkState } from "../../src/web/api-work.ts";
import { Drawing } from "../../ui/drawing.tsx";
import { Frame, type MainView } from "../../ui/frame.tsx";
import { lazy } from "../../ui/lazy.tsx";
import type { Live } from "../../ui/live-events.ts";
import { isWide, titleOf, viewOf } from "../../ui/page-frame.tsx";
import { Problem } from "../../ui/problem.tsx";
import { linkTo, useHash } from "../../ui/route.ts";
import { View } from "../../ui/view.tsx";
import { ChooseRepository } from "./choose-repository.tsx";
import { FilesPage } from "./files-page.tsx";
import { PushContext, usePushState } from "./push-state.ts";
import { RunContext, useRunState } from "./run-state.ts";
import { SettingsForm, SettingsPage } from "./settings-page.tsx";
import { SignIn } from "./sign-in.tsx";
import { StorageDamageNotice } from "./storage-damage.tsx";
import type { WorkHost } from "./work-hosts.ts";
import { linkToWork, parseWorkRoute, type WorkRoute } from "./work-route.ts";
import { useLoadedWork, WorkContext } from "./work-state.ts";
import "./work.css";

const FilePage = lazy(async () => (await import("./file-page.tsx")).FilePage);
const DraftPage = lazy(async () => (await import("./draft-page.tsx")).DraftPage);
const SearchPage = lazy(async () => (await import("./search-page.tsx")).SearchPage);
const RunPage = lazy(async () => (await import("./run-page.tsx")).RunPage);
const AgentPage = lazy(async () => (await import("./agent-page.tsx")).AgentPage);

function workViews({ state, work }: Live): readonly MainView[] {
  const waiting = { number: state?.waiting ?? 0, what: "waiting" };
  const changed = { number: work?.open?.changed ?? 0, what: "changed", isQuiet: true };
  return [
    { name: "files", label: "Files", link: linkToWork.files() },
    { name: "draft", label: "Changes", link: linkToWork.draft(), count: changed },
    { name: "agent", label: "Agent", link: linkToWork.agent() },
    { name: "queue", label: "Queue", link: linkTo.queue(), count: waiting },
    { name: "log", label: "Log", link: linkTo.log() },
  ];
}

const ownTitles = {
  files: "Files",
  file: "File",
  search: "Search in files",
  run: "Run",
  draft: "Changes",
  agent: "Agent",
  settings: "Settings",
} as const;
type OwnName = keyof typeof ownTitles;

function isOwn(route: WorkRoute): route is Extract<WorkRoute, { readonly name: OwnName }> {
  return route.name in ownTitles;
}

/** The main view to which a route belongs. */
function mainOf({ name }: WorkRoute): string {
  const of: Readonly<Record<string, string>> = {
    file: "files",
    search: "files",
    run: "files",
    question: "queue",
    staged: "queue",
    call: "log",
  };
  return of[name] ?? name;
}

export interface WorkPlaceProps {
  readonly host: WorkHost;
  readonly beside: ComponentChildren;
}

export function WorkPlace({ host, beside }: WorkPlaceProps) {
  const route = parseWorkRoute(useHash());
  const push = usePushState();
  const isOwnRoute = isOwn(route);
  return (
    <PushContext.Provider value={push}>
      <Frame
        current={mainOf(route)}
        title={isOwnRoute ? ownTitles[route.name] : titleOf[route.name]}
        view={isOwnRoute ? `${route.name} ${route.name === "file" ? route.id : ""}` : viewOf(route)}
        isWide={route.name === "draft" || route.name === "file" || (!isOwnRoute && isWide(route))}
        viewsOf={workViews}
        beside={
          <>
            {beside}
            <a
              class="to-settings"
              href={linkToWork.settings()}
              title="Settings"
              aria-current={route.name === "settings" ? "page" : undefined}
            >
              <Sliders />
              <span class="said">Settings</span>
            </a>
          </>
        }
      >
        <Loaded route={route} host={host} />
      </Frame>
    </PushContext.Provider>
  );
}

function Loaded({ route, host }: { readonly route: WorkRoute; readonly host: WorkHost }) {
  const { work, error } = useLoadedWork();
  const run = useRunState(work?.open?.session ?? null);
  if (work !== null)
    return (
      <WorkContext.Provider value={work}>
        <StorageDamageNotice />
        <RunContext.Provider value={run}>
          <WorkView route={route} work={work} host={host} />
        </RunContext.Provider>
      </WorkContext.Provider>
    );
  if (error === null) return <p class="quiet">Loading…</p>;
  if (error.refused.error !== "held") return <Problem error={error} />;
  return (
    <div class="step">
      <h1>In another window</h1>
      <p role="status">
        Another window of this browser works on the draft. There is one gate at a time, so that no two write the same
        files. Go on there, or close it; then it goes on here by itself.
      </p>
    </div>
  );
}

interface WorkViewProps {
  readonly route: WorkRoute;
  readonly work: WorkState;
  readonly host: WorkHost;
}

function WorkView({ route, work, host }: WorkViewProps) {
  if (!isOwn(route)) return route.name === "unknown" ? <Nothing /> : <View route={route} />;
  if (route.name === "settings") return <SettingsPage host={host} />;
  if (work.open === null) return <FirstSteps work={work} host={host} />;
  switch (route.name) {
    case "files":
      return <FilesPage />;
    case "file":
      return <FilePage key={`${work.open.session} ${route.id}`} path={route.id} line={route.line} />;
    case "search":
      return <SearchPage key={work.open.session} />;
    case "run":
      return <RunPage />;
    case "draft":
      return <DraftPage />;
    case "agent":
      return <AgentPage />;
  }
}

/** What is missing before there is a draft. */
function FirstSteps({ work: { settings, account }, host }: Omit<WorkViewProps, "route">) {
  if (settings.clientId === null)
    return (
      <div class="step is-wide">
        <h1>Work on a repository here</h1>
        <p>
          Open a repository of GitHub, change it by hand or with an agent, and push what you have looked at. Nothing is
          installed, and nothing leaves before your yes.
        </p>
        <SettingsForm host={host} />
      </div>
    );
  return account === null ? <SignIn /> : <ChooseRepository />;
}

function Nothing() {
  return (
    <>
      <h1>There is nothing here</h1>
      <p>
        <a href={linkToWork.files()}>Go to the files</a>
      </p>
    </>
  );
}

function Sliders() {
  return (
    <Drawing size={20} width={1.6}>
      <path d="M3 5h7.5M15.5 5H17M3 10h1.5M9.5 10H17M3 15h6.5M14.5 15H17" />
      <circle cx="13" cy="5" r="2.2" />
      <circle cx="7" cy="10" r="2.2" />
      <circle cx="12" cy="15" r="2.2" />
    </Drawing>
  );
}
