// A package registry on this machine, with two versions of one package, as a team runs one for itself.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface PackageRegistry {
  readonly port: number;
  close(): Promise<void>;
}

export async function openRegistry(directory: string): Promise<PackageRegistry> {
  const archives = new Map(["1.0.0", "2.0.0"].map((version) => [version, packed(directory, version)]));
  const server = createServer(({ url, headers }, response) => {
    const archive = archives.get(/^\/pad\/-\/pad-(.*)\.tgz$/.exec(url ?? "")?.[1] ?? "");
    if (archive !== undefined) return void response.end(archive);
    if (url !== "/pad") return void response.writeHead(404).end("{}");
    const versions = [...archives].map(([version, bytes]) => {
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      return [
        version,
        { name: "pad", version, dist: { tarball: `http://${headers.host}/pad/-/pad-${version}.tgz`, integrity } },
      ];
    });
    response.end(
      JSON.stringify({ name: "pad", "dist-tags": { latest: "2.0.0" }, versions: Object.fromEntries(versions) }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function packed(directory: string, version: string): Buffer {
  const room = mkdtempSync(join(directory, "pad-"));
  mkdirSync(join(room, "package"));
  writeFileSync(join(room, "package/package.json"), JSON.stringify({ name: "pad", version, main: "index.js" }));
  writeFileSync(join(room, "package/index.js"), "module.exports = (text, length) => text.padStart(length);\n");
  execFileSync("tar", ["-czf", "pad.tgz", "package"], { cwd: room });
  return readFileSync(join(room, "pad.tgz"));
}
