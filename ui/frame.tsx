// The frame around each view: the navigation, the number of waiting questions, whether the page is up to date, and the help.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { boundKeys, listenToKeys, useKeys } from "./keys.ts";
import { LiveContext } from "./live.ts";
import { type Live, watchLive } from "./live-events.ts";
import { goTo, linkTo, type Route } from "./route.ts";

const mainViews = [
  { name: "queue", label: "Queue", link: linkTo.queue() },
  { name: "changes", label: "Changes", link: linkTo.changes() },
  { name: "log", label: "Log", link: linkTo.log() },
  { name: "sessions", label: "Sessions", link: linkTo.sessions() },
  { name: "machine", label: "Machine", link: linkTo.machine() },
] as const;

const placeOf: Readonly<Record<Route["name"], string>> = {
  queue: "queue",
  question: "queue",
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

const titleOf: Readonly<Record<Route["name"], string>> = {
  queue: "Queue",
  question: "Question",
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

export function Frame({ route, children }: { readonly route: Route; readonly children: ComponentChildren }) {
  const [live, setLive] = useState<Live>({ state: null, isConnected: true });
  const [isHelping, setIsHelping] = useState(false);
  const waiting = live.state?.waiting ?? 0;
  const unlanded = live.state?.unlanded ?? 0;
  useEffect(() => watchLive(setLive), []);
  useLayoutEffect(() => listenToKeys(), []);
  useLayoutEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${titleOf[route.name]} · Sallyport`;
  }, [waiting, route.name]);
  useFocusOnMain(route);
  const anywhere = [
    { key: "?", label: "Show the keys", run: () => setIsHelping(true) },
    ...mainViews.map(({ label, link }, at) => ({ key: String(at + 1), label, run: () => goTo(link) })),
  ];
  useKeys("Anywhere", anywhere, true);
  const isWide = ["question", "staged", "session", "landing"].includes(route.name);
  return (
    <LiveContext.Provider value={live}>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header class="header">
        <div class="header-row">
          <a class="brand" href={linkTo.queue()}>
            <Gate />
            Sallyport
          </a>
          <nav aria-label="Main">
            <ul class="nav">
              {mainViews.map(({ name, label, link }) => (
                <li key={name}>
                  <a href={link} aria-current={placeOf[route.name] === name ? "page" : undefined}>
                    {label}
                    {name === "queue" && waiting > 0 && (
                      <span class="count">
                        {waiting}
                        <span class="said"> waiting</span>
                      </span>
                    )}
                    {name === "changes" && unlanded > 0 && (
                      <span class="count is-quiet">
                        {unlanded}
                        <span class="said"> not landed</span>
                      </span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <p class={`connection${live.isConnected ? "" : " is-lost"}`} role="status">
            {live.isConnected ? "Live" : "Not connected. Trying again…"}
          </p>
        </div>
      </header>
      <Announcer waiting={live.state?.waiting ?? null} />
      <main class={`main${isWide ? " is-wide" : ""}`} id="main" tabIndex={-1}>
        {children}
      </main>
      {isHelping && <Help onClose={() => setIsHelping(false)} />}
    </LiveContext.Provider>
  );
}

/** A new view begins at its top, and takes the focus for people who use a screen reader. */
function useFocusOnMain(route: Route): void {
  const view = "id" in route ? `${route.name} ${route.id}` : route.name;
  const before = useRef(view);
  useLayoutEffect(() => {
    if (before.current === view) return;
    before.current = view;
    document.getElementById("main")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [view]);
}

// A fragment of this page is a route, so the link moves the focus itself.
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** Announces a new question to a screen reader. */
function Announcer({ waiting }: { readonly waiting: number | null }) {
  const before = useRef<number | null>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const last = before.current;
    before.current = waiting;
    if (last === null || waiting === null || waiting === last) return;
    if (waiting > last) setSaid(waiting === 1 ? "A question waits." : `A new question. ${waiting} wait.`);
    else setSaid(waiting === 0 ? "No question waits any more." : `${waiting} ${waiting === 1 ? "waits" : "wait"}.`);
  }, [waiting]);
  return (
    <p class="said" aria-live="polite" id="announcer">
      {said}
    </p>
  );
}

function Gate() {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path d="M3.5 17.5V9a6.5 6.5 0 0 1 13 0v8.5M10 8.5v9" />
    </svg>
  );
}

function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={onClose} class="help">
      <h1 id="help-title">Keys</h1>
      {boundKeys()
        .filter(({ bindings }) => bindings.length > 0)
        .map(({ title, bindings }) => (
          <section key={title}>
            <h2>{title}</h2>
            <dl class="facts">
              {bindings.map(({ key, label }) => [
                <dt key={`${key} key`}>
                  <kbd>{nameOfKey(key)}</kbd>
                </dt>,
                <dd key={key}>{label}</dd>,
              ])}
            </dl>
          </section>
        ))}
      <form method="dialog" class="button-row">
        <button class="button" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}

const keyNames: Readonly<Record<string, string>> = { Escape: "Esc", ArrowDown: "↓", ArrowUp: "↑", " ": "Space" };

function nameOfKey(key: string): string {
  return keyNames[key] ?? key;
}
