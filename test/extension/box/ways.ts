// Ways out of a box: what a program, or a script, can try. Each is a few lines of text that run in the browser with `url` and `port`
// of a listener. A way to data returns the text that it found; all others return nothing, and the listener says whether they got out.

type Ways = Readonly<Record<string, string>>;

/** What the extension's own page leaves where its origin can read it. */
export const secret = "of the gate";

/** In Python, through the interpreter's access to JavaScript. `js` is the scope of the worker. */
export const pythonWays: Ways = {
  fetch: `await js.fetch(url)`,
  "fetch without reading": `await js.fetch(url, method="POST", mode="no-cors", body="x", keepalive=True)`,
  XMLHttpRequest: `
request = js.XMLHttpRequest.new()
request.open("POST", url, False)
request.send("x")`,
  WebSocket: `await event_of(js.WebSocket.new(f"ws://127.0.0.1:{port}/"), "open", "error")`,
  EventSource: `await event_of(js.EventSource.new(url), "open", "error")`,
  WebTransport: `await js.WebTransport.new(f"https://127.0.0.1:{port}/").ready`,
  importScripts: `js.importScripts(url)`,
  "font face": `await js.FontFace.new("f", f"url({url})").load()`,
  pyfetch: `
from pyodide.http import pyfetch
await pyfetch(url)`,
  open_url: `
from pyodide.http import open_url
open_url(url)`,
  urllib: `
import urllib.request
urllib.request.urlopen(url, timeout=5)`,
  socket: `
import socket
connected = socket.create_connection(("127.0.0.1", port), 5)
connected.send(b"x")`,
  "package of a URL": `
import pyodide_js
await pyodide_js.loadPackage(f"{url}a-1-py3-none-any.whl")`,
  OPFS: `
root = await js.navigator.storage.getDirectory()
handle = await root.getFileHandle("secret")
return await (await handle.getFile()).text()`,
  indexedDB: `
opening = js.indexedDB.open("${secret}")
if await event_of(opening, "success", "error") == "success":
    return opening.result.name if opening.result.version == 7 else None`,
  caches: `return await (await js.caches.match("https://a.invalid/secret")).text()`,
  locks: `
held = (await js.navigator.locks.query()).held
return next((lock.name for lock in held if lock.name == "${secret}"), None)`,
  "dynamic import": `
from pyodide.code import run_js
await run_js(f"import('{url}')")`,
  compileStreaming: `await js.WebAssembly.compileStreaming(js.fetch(url))`,
  "text as code": `await js.Function.new("url", "return fetch(url)")(url)`,
  "importScripts of a blob": `
js.importScripts(js.URL.createObjectURL(js.Blob.new(to_js(["self.imported = 7"]))))
if js.imported == 7:
    await js.fetch(url)`,
  "file of the extension": `return (await (await js.fetch(extension + "/manifest.json")).text())[:1]`,
};

/** In the page of the box itself, where no program runs: what would be left if one came there. */
export const pageWays: Ways = {
  "fetch of a page": `await fetch(url)`,
  "WebSocket of a page": `await eventOf(new WebSocket("ws://127.0.0.1:" + port), "open", "error")`,
  "WebTransport of a page": `await new WebTransport("https://127.0.0.1:" + port).ready`,
  "dynamic import of a page": `await import(url)`,
  "worker of a blob": `
const inner = new Worker(URL.createObjectURL(new Blob(["fetch('" + url + "').then(() => postMessage('in'), () => postMessage('out'))"])));
await eventOf(inner, "message", "error");`,
  "EventSource of a page": `await eventOf(new EventSource(url), "open", "error")`,
  sendBeacon: `navigator.sendBeacon(url, "x")`,
  image: `const image = new Image(); image.src = url; await eventOf(image, "load", "error")`,
  "style sheet": `await eventOf(add("link", { rel: "stylesheet", href: url }), "load", "error")`,
  "background of an element": `add("p", {}).style.background = "url(" + url + ")"; await later()`,
  "text of a style": `add("style", { textContent: "body { background: url(" + url + ") } @import url(" + url + ");" }); await later()`,
  font: `await new FontFace("f", "url(" + url + ")").load()`,
  script: `await eventOf(add("script", { src: url }), "load", "error")`,
  "module of a page": `await eventOf(add("script", { type: "module", src: url }), "load", "error")`,
  video: `await eventOf(add("video", { src: url }), "loadedmetadata", "error")`,
  "image of SVG": `add("div", { innerHTML: '<svg><image href="' + url + '"/></svg>' }); await later()`,
  object: `add("object", { data: url }); await later()`,
  embed: `add("embed", { src: url }); await later()`,
  frame: `add("iframe", { src: url }); await later()`,
  preload: `add("link", { rel: "preload", as: "fetch", crossOrigin: "", href: url }); await later()`,
  modulepreload: `add("link", { rel: "modulepreload", href: url }); await later()`,
  prefetch: `add("link", { rel: "prefetch", href: url }); await later()`,
  preconnect: `add("link", { rel: "preconnect", href: url }); await later()`,
  "ping of a link": `add("a", { href: "#", ping: url }).click(); await later()`,
  window: `open(url); await later()`,
  "worker of a page": `await eventOf(new Worker(url), "message", "error")`,
  "shared worker": `await eventOf(new SharedWorker(url), "message", "error")`,
  RTCPeerConnection: `
const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:" + port }, { urls: "turn:127.0.0.1:" + port + "?transport=tcp", username: "u", credential: "c" }] });
peer.createDataChannel("c");
await peer.setLocalDescription();
await later();`,
  localStorage: `return localStorage.getItem("secret")`,
  "document of the parent": `return parent.document.title`,
  "service worker": `return (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope).join()`,
  "interface of the extension": `return (await chrome.runtime.getPlatformInfo()).os`,
  BroadcastChannel: `return await new Promise((resolve) => {
    new BroadcastChannel("secret").onmessage = ({ data }) => resolve(data);
    setTimeout(resolve, 2_000);
  })`,
  "OPFS of a page": `
const root = await navigator.storage.getDirectory();
return await (await (await root.getFileHandle("secret")).getFile()).text();`,
};

/** Each of these ends the page where it runs, if it gets out. */
export const leavingWays: Ways = {
  form: `add("form", { action: url, method: "post" }).submit(); await later()`,
  "address of the top": `top.location.href = url; await later()`,
  "address of the page": `location.href = url; await later()`,
};

/** A page has them, and the worker of a run has not. */
export const pageNames: readonly string[] = [
  "BroadcastChannel",
  "chrome.runtime",
  "document",
  "localStorage",
  "navigator.sendBeacon",
  "navigator.serviceWorker",
  "open",
  "opener",
  "parent",
  "RTCPeerConnection",
  "SharedWorker",
  "top",
  "Worker",
];

const scriptHelpers = `
const later = () => new Promise((resolve) => setTimeout(resolve, 1_000));
const eventOf = (target, ...names) => new Promise((resolve) => {
  for (const name of names) target.addEventListener(name, () => resolve(name));
  setTimeout(resolve, 5_000);
});
const add = (name, attributes) => (globalThis.document?.body ?? document.documentElement).appendChild(Object.assign(document.createElement(name), attributes));
`;

/** An expression: what each way came to. */
export function scriptOf(ways: Ways, ports: Readonly<Record<string, number>>): string {
  return `(async () => {
    ${scriptHelpers}
    const ways = { ${Object.entries(ways)
      .map(([name, body]) => `${JSON.stringify(name)}: async (url, port) => { ${body} }`)
      .join(",\n")} };
    const ports = ${JSON.stringify(ports)};
    const said = {};
    const use = async ([name, way]) => {
      const late = new Promise((resolve) => setTimeout(resolve, 6_000, "late"));
      const done = way("http://127.0.0.1:" + ports[name] + "/", ports[name]);
      said[name] = String(await Promise.race([done, late]).catch((error) => "refused: " + error));
    };
    await Promise.all(Object.entries(ways).map(use));
    return said;
  })()`;
}

/** A program: it prints what each way came to. */
export function pythonOf(extension: string, ports: Readonly<Record<string, number>>): string {
  const functions = Object.entries(pythonWays).map(
    ([name, body], index) => `
async def way_${index}(url, port):
${body.trim().replaceAll(/^/gm, "    ")}
ways[${JSON.stringify(name)}] = way_${index}`,
  );
  return `
import asyncio, json, js
from pyodide.ffi import create_proxy, to_js

extension = ${JSON.stringify(extension)}
ways, said = {}, {}

def future_of(target, *names):
    future = asyncio.get_event_loop().create_future()
    def on(event):
        if not future.done():
            future.set_result(event)
    for name in names:
        target.addEventListener(name, create_proxy(on))
    return future

async def event_of(target, *names):
    return (await asyncio.wait_for(future_of(target, *names), 5)).type
${functions.join("\n")}

async def use(name, port):
    try:
        said[name] = str(await asyncio.wait_for(ways[name](f"http://127.0.0.1:{port}/", port), 6))
    except BaseException as error:
        said[name] = f"refused: {type(error).__name__}: {error}"[:200]

async def main():
    ports = json.loads(${JSON.stringify(JSON.stringify(ports))})
    await asyncio.gather(*(use(name, port) for name, port in ports.items()))
    print("\\n" + json.dumps(said))

asyncio.run(main())
`;
}
