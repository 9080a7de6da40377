// The frame around each view: the navigation, the number of waiting questions, whether the page is up to date, and the help.
// Which views there are is said by the page (page-frame.tsx), or by the place of the side panel.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Drawing } from "./drawing.tsx";
import { boundKeys, listenToKeys, useKeys } from "./keys.ts";
import { LiveContext } from "./live.ts";
import { type Live, watchLive } from "./live-events.ts";
import { goTo, linkTo } from "./route.ts";

export interface MainView {
  readonly name: string;
  readonly label: string;
  readonly link: string;
  /** Shown beside the label if it is more than 0. */
  readonly count?: { readonly number: number; readonly what: string; readonly isQuiet?: boolean };
}

export interface FrameProps {
  /** What is shown now: the name of a main view, and what the window is called. */
  readonly current: string;
  readonly title: string;
  /** Changes with what is shown. */
  readonly view: string;
  readonly isWide: boolean;
  /** Receives the live state, by which the number of waiting questions can be shown. */
  readonly viewsOf: (live: Live) => readonly MainView[];
  /** Beside the name, at the top. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Frame({ current, title, view, isWide, viewsOf, beside, children }: FrameProps) {
  const [live, setLive] = useState<Live>({ state: null, isConnected: true });
  const [isHelping, setIsHelping] = useState(false);
  const waiting = live.state?.waiting ?? 0;
  const views = viewsOf(live);
  useEffect(() => watchLive(setLive), []);
  useLayoutEffect(() => listenToKeys(), []);
  useLayoutEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Sallyport`;
  }, [waiting, title]);
  useFocusOnMain(view);
  const anywhere = [
    { key: "?", label: "Show the keys", run: () => setIsHelping(true) },
    ...views.map(({ label, link }, at) => ({ key: String(at + 1), label, run: () => goTo(link) })),
  ];
  useKeys("Anywhere", anywhere, true);
  return (
    <LiveContext.Provider value={live}>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header class="header">
        <div class="header-row">
          <Brand />
          {beside}
          {views.length > 0 && (
            <nav aria-label="Main">
              <ul class="nav">
                {views.map(({ name, label, link, count }) => (
                  <li key={name}>
                    <a href={link} aria-current={current === name ? "page" : undefined}>
                      {label}
                      {count !== undefined && count.number > 0 && (
                        <span class={`count${count.isQuiet === true ? " is-quiet" : ""}`}>
                          {count.number}
                          <span class="said"> {count.what}</span>
                        </span>
                      )}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          )}
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

export function Brand() {
  return (
    <a class="brand" href={linkTo.queue()}>
      <Gate />
      <span class="brand-name">Sallyport</span>
    </a>
  );
}

/** A new view begins at its top, and takes the focus for people who use a screen reader. */
function useFocusOnMain(view: string): void {
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
    <Drawing size={20}>
      <path d="M3.5 17.5V9a6.5 6.5 0 0 1 13 0v8.5M10 8.5v9" />
    </Drawing>
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
        <a class="button is-plain" href="licences.txt" target="_blank" rel="noopener">
          Licences
        </a>
      </form>
    </dialog>
  );
}

const keyNames: Readonly<Record<string, string>> = { Escape: "Esc", ArrowDown: "↓", ArrowUp: "↑", " ": "Space" };

function nameOfKey(key: string): string {
  return keyNames[key] ?? key;
}
