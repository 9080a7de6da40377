// Holds the frame of the box, in a document of the extension. Whoever has the door can have the frame's port, also from a worker.

import type { DoorRequest } from "./messages.ts";

/** A worker of the document gets the returned port, and `boxThrough` makes a box of it. */
export function holdBox(document: Document): MessagePort {
  const { port1: door, port2: outside } = new MessageChannel();
  let frame: HTMLIFrameElement | null = null;
  door.onmessage = ({ data }: MessageEvent<DoorRequest>) => {
    frame?.remove(); // it ends with everything that runs in it
    frame = null;
    if (data === "close") return;
    frame = document.createElement("iframe");
    const opened = frame;
    const { port1: toPage, port2: toGate } = new MessageChannel();
    opened.hidden = true;
    // SECURITY(T86): an opaque origin by the manifest, and by this attribute, should the manifest once forget the page.
    opened.sandbox.add("allow-scripts");
    opened.src = "/box/page.html";
    opened.addEventListener(
      "load",
      () => {
        opened.contentWindow?.postMessage(null, "*", [toPage]); // an opaque origin has no name to write here
        door.postMessage(null, [toGate]);
      },
      { once: true },
    );
    document.body.append(opened);
  };
  return outside;
}
