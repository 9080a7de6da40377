// A page with nothing but a diff on it, which the test's server has.

import { h, render } from "preact";
import { DiffView } from "../../../../ui/diff/diff-view.tsx";
import { listenToKeys } from "../../../../ui/keys.ts";

const get = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`the server said ${answer.status}`);
  return answer;
};

listenToKeys();
globalThis.seen = [];
const files = await (await get("/files")).json();
const props = {
  files,
  load: async (n) => (await get(`/files/${n}`)).json(),
  context: async (n, from, to) => (await get(`/files/${n}/lines?from=${from}&to=${to}`)).json(),
  picture: async (n, side) => (await get(`/files/${n}/${side}`)).blob(),
  onSeen: (n) => globalThis.seen.push(n),
};
render(h(DiffView, props), document.getElementById("diff"));
