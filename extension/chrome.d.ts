// The part of the browser's interface for extensions that this one uses. It is small, so that what it uses is seen here.

interface ChromeEvent<Listener> {
  addListener(listener: Listener): void;
}

interface ChromePort {
  readonly name: string;
  readonly sender?: { readonly id?: string; readonly url?: string };
  readonly onMessage: ChromeEvent<(message: unknown) => void>;
  readonly onDisconnect: ChromeEvent<() => void>;
  postMessage(message: unknown): void;
  disconnect(): void;
}

interface ChromeArea {
  get(key: string): Promise<Record<string, unknown>>;
  set(values: Record<string, unknown>): Promise<void>;
  setAccessLevel(level: { accessLevel: "TRUSTED_CONTEXTS" }): Promise<void>;
}

declare const chrome: {
  readonly action: {
    setBadgeText(details: { text: string }): Promise<void>;
    setBadgeBackgroundColor(details: { color: string }): Promise<void>;
    setTitle(details: { title: string }): Promise<void>;
  };
  readonly alarms: {
    create(name: string, info: { periodInMinutes: number }): Promise<void>;
    clear(name: string): Promise<boolean>;
    readonly onAlarm: ChromeEvent<() => void>;
  };
  readonly notifications: {
    create(id: string, options: { type: "basic"; iconUrl: string; title: string; message: string }): Promise<string>;
    clear(id: string): Promise<boolean>;
    readonly onClicked: ChromeEvent<(id: string) => void>;
  };
  readonly offscreen: {
    createDocument(options: { url: string; reasons: "WORKERS"[]; justification: string }): Promise<void>;
  };
  readonly permissions: {
    request(permissions: { origins: string[] }): Promise<boolean>;
  };
  readonly runtime: {
    getURL(path: string): string;
    readonly id: string;
    readonly lastError?: { readonly message?: string };
    getContexts(filter: { contextTypes: ("SIDE_PANEL" | "OFFSCREEN_DOCUMENT")[] }): Promise<unknown[]>;
    sendMessage(message: unknown): Promise<unknown>;
    connect(info: { name: string }): ChromePort;
    readonly onConnect: ChromeEvent<(port: ChromePort) => void>;
    readonly onMessage: ChromeEvent<
      (
        message: unknown,
        sender: { readonly id?: string; readonly url?: string },
        reply: (value: unknown) => void,
      ) => boolean
    >;
    readonly onInstalled: ChromeEvent<() => void>;
    readonly onStartup: ChromeEvent<() => void>;
  };
  readonly sidePanel: {
    open(options: { windowId: number }): Promise<void>;
    setPanelBehavior(behavior: { openPanelOnActionClick: boolean }): Promise<void>;
  };
  readonly storage: {
    readonly local: ChromeArea;
    readonly session: ChromeArea;
    readonly onChanged: ChromeEvent<(changes: Record<string, unknown>, area: string) => void>;
  };
  readonly tabs: {
    create(options: { url: string }): Promise<unknown>;
  };
  readonly windows: {
    getLastFocused(): Promise<{ id?: number }>;
  };
};
