// The key pair by which push services know this server. It is made once and kept in the state directory.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { JournalFault } from "../audit/journal.ts";
import { openPrivateDirectory, openPrivateFile, writeOnce } from "./private-directory.ts";

/** The private half. SECURITY(T112): whoever has it can send notices to the devices whose endpoints they know. */
export function loadPushKey(stateDirectory: string): KeyObject {
  openPrivateDirectory(stateDirectory, "state directory");
  const path = join(stateDirectory, "push-key.pem");
  if (!existsSync(path))
    writeOnce(path, generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey.export(pem));
  openPrivateFile(path);
  try {
    const key = createPrivateKey(readFileSync(path));
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  } catch {
    // the same as another curve
  }
  throw new JournalFault(`${path} does not hold a key of P-256.`, {
    hint: `Remove it, and a new one is made; devices then switch notices on again: rm ${path}`,
  });
}

const pem = { type: "pkcs8", format: "pem" } as const;
