// A clone by isomorphic-git with LightningFS, as their READMEs say, in a worker of a page. Plain JavaScript: its packages are the bench's own.

import { Buffer } from "buffer";
import FS from "@isomorphic-git/lightning-fs";
import git from "isomorphic-git";
import http from "isomorphic-git/http/web";

globalThis.Buffer = Buffer; // it asks for one
const dir = "/project";

/** `name`: of the file system. Each clone has its own. */
async function clone({ url, name }) {
  const fs = new FS(name);
  const begun = performance.now();
  await git.clone({ fs, http, dir, url, ref: "main", singleBranch: true, noTags: true, depth: 1 });
  const ms = performance.now() - begun;
  // Not counted, but done now: half a second later it would slow down the other one.
  await fs.promises.flush();
  return { ms, files: (await git.listFiles({ fs, dir })).length };
}

addEventListener("message", ({ data }) => {
  clone(data).then(
    (answer) => postMessage({ answer }),
    (error) => postMessage({ error: error.stack }),
  );
});
