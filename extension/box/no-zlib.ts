// In the place of node's zlib, which just-bash imports for gzip. A browser's own works only asynchronously.

export const constants = {};

function refuse(): never {
  throw new Error("gzip does not work in a browser");
}

export const gunzipSync = (): never => refuse();
export const gzipSync = (): never => refuse();
