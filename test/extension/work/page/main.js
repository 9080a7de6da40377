// The side panel in an ordinary tab: its gate is the test's server, and the browser's question about addresses is answered by the test.

import { h, render } from "preact";
import { SidePanel } from "../../../../extension/side-panel.tsx";

const gate = (base, token) => ({ base, token: () => token, forget() {}, onChange: () => () => {} });
const isPaired = location.search === "?paired";
const gates = { review: gate("/other", isPaired ? "of-the-other" : null), work: gate("", "of-the-test") };
globalThis.asked = [];
globalThis.mayReach = true;
const host = {
  async allow(patterns) {
    globalThis.asked.push(...patterns);
    return globalThis.mayReach;
  },
};
render(h(SidePanel, { gates, host }), document.getElementById("app"));
