// What the library and the extension do in a browser.

import { measureArchive } from "./browser-archive.ts";
import { measureBox } from "./browser-box.ts";
import { measurePanel } from "./browser-panel.ts";
import { measureBrowserPull } from "./browser-pull.ts";
import { measureStorage } from "./browser-storage.ts";
import { measureWalk } from "./browser-walk.ts";
import type { Topic } from "./topic.ts";

const parts = [
  measureArchive, // one by one
  measureBrowserPull,
  measureStorage,
  measureWalk,
  measurePanel,
  measureBox,
];

export const browserTopic: Topic = {
  name: "browser",
  async measure() {
    const reports = [];
    for (const part of parts) reports.push(await part());
    return {
      tables: reports.flatMap(({ tables }) => tables),
      goals: reports.flatMap(({ goals }) => goals),
      remarks: reports.flatMap(({ remarks }) => remarks),
    };
  },
};
