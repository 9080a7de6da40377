// The service worker of the page on another device: an installed page opens when the server does not answer, and says so itself.
// It shows a notice that a push service delivered, also while no page is open.
// Invariant: it keeps the empty page and the files that it names, and nothing of the API.

import type { PushedNotice } from "../src/notify/push-notice.ts";

interface Extending extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface Fetching extends Extending {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface Pushed extends Extending {
  readonly data: { json(): unknown } | null;
}

interface Clicked extends Extending {
  readonly notification: Notification;
}

interface OpenWindow {
  navigate(address: string): Promise<unknown>;
  focus(): Promise<unknown>;
}

/** The part of the worker's own interface that this file uses; the page's types do not have it. */
interface WorkerScope {
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { readonly type: "window" }): Promise<readonly OpenWindow[]>;
    openWindow(address: string): Promise<unknown>;
  };
  readonly registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  addEventListener(name: "install" | "activate", listen: (event: Extending) => void): void;
  addEventListener(name: "push", listen: (event: Pushed) => void): void;
  addEventListener(name: "notificationclick", listen: (event: Clicked) => void): void;
  addEventListener(name: "fetch", listen: (event: Fetching) => void): void;
}

const worker = globalThis as unknown as WorkerScope;
const SHELL = "shell";
const PAGE = "/";

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname === PAGE) event.respondWith(page(request));
  // Their names change with their content.
  else if (pathname.startsWith("/assets/")) event.respondWith(asset(request));
});

/** From the server; the kept one only if it does not answer. */
async function page(request: Request): Promise<Response> {
  const shell = await caches.open(SHELL);
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await keepPage(shell, fresh.clone());
    return fresh;
  } catch (error) {
    const kept = await shell.match(PAGE);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** The files of another version go with its page. */
async function keepPage(shell: Cache, fresh: Response): Promise<void> {
  const before = await (await shell.match(PAGE))?.text();
  if (before !== (await fresh.clone().text())) await caches.delete(SHELL);
  await (await caches.open(SHELL)).put(PAGE, fresh);
}

async function asset(request: Request): Promise<Response> {
  const shell = await caches.open(SHELL);
  const kept = await shell.match(request);
  if (kept !== undefined) return kept;
  const fresh = await fetch(request);
  if (fresh.ok) await shell.put(request, fresh.clone());
  return fresh;
}

worker.addEventListener("push", (event) => event.waitUntil(showPushed(event.data?.json() as PushedNotice)));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { question } = event.notification.data as Pick<PushedNotice, "question">;
  event.waitUntil(openQueue(question === null ? "/#/" : `/#/q/${encodeURIComponent(question)}`));
});

/** A newer one takes the place of an older one. Browsers want one to be shown for each that arrives. */
async function showPushed({ title, text, question }: PushedNotice): Promise<void> {
  await worker.registration.showNotification(title, {
    body: text,
    tag: "sallyport",
    icon: "/icon-192.png",
    data: { question },
  });
  // A mark without a number: a notice counts what is new, and the page sets the number that waits.
  await (navigator as Partial<Pick<Navigator, "setAppBadge">>).setAppBadge?.();
}

async function openQueue(address: string): Promise<void> {
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (open === undefined) return void (await worker.clients.openWindow(address));
  await open.navigate(address);
  await open.focus();
}
