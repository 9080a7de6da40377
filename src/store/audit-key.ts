// The key of the chain: 32 random bytes in the configuration directory, separate from the log that it protects.
// Invariant: a log with entries never gets a new key. A new key would make the whole log look forged, or hide that it was.

import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { ChainKey } from "../audit/chain.ts";
import { JournalFault } from "../audit/journal.ts";
import { codeOf, messageOf, openPrivateDirectory, writeOnce } from "./private-directory.ts";

const keyBytes = 32;

/** With a KeyObject that is made once: with raw bytes each hash takes seven times as long. */
export function chainKey(key: KeyObject): ChainKey {
  return (text) => createHmac("sha256", key).update(text).digest("hex");
}

export function loadAuditKey(keyDirectory: string, logHasEntries: () => boolean): ChainKey {
  return chainKey(loadKey(keyDirectory, logHasEntries));
}

function loadKey(keyDirectory: string, logHasEntries: () => boolean): KeyObject {
  openPrivateDirectory(keyDirectory, "configuration directory");
  const path = join(keyDirectory, "audit.key");
  const existing = readKey(path);
  if (existing !== undefined) return existing;
  // Another process may have made the key and the first entries since the check above.
  if (logHasEntries()) return readKey(path) ?? missing(path);
  makeKey(path);
  return readKey(path) ?? missing(path);
}

function readKey(path: string): KeyObject | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new JournalFault(`The audit key ${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new JournalFault(`The audit key ${path} is not a file.`);
    if (found.uid !== process.geteuid?.())
      throw new JournalFault(`The audit key ${path} belongs to another user (uid ${found.uid}).`);
    if ((found.mode & 0o077) !== 0) {
      throw new JournalFault(`The audit key ${path} is open to others.`, { hint: `chmod 600 ${path}` });
    }
    const key = Buffer.alloc(keyBytes + 1);
    if (readSync(file, key, 0, keyBytes + 1, 0) !== keyBytes) {
      throw new JournalFault(`The audit key ${path} is not ${keyBytes} bytes long.`, {
        hint: "Put the right key back from a backup.",
      });
    }
    return createSecretKey(key.subarray(0, keyBytes));
  } finally {
    closeSync(file);
  }
}

function makeKey(path: string): void {
  try {
    writeOnce(path, randomBytes(keyBytes));
  } catch (error) {
    throw new JournalFault(`The audit key ${path} cannot be made: ${messageOf(error)}`, { cause: error });
  }
}

function missing(path: string): never {
  throw new JournalFault(`The log has entries, but its key ${path} is missing.`, {
    hint: "Put the key back from a backup, or move the old log away to begin a new one.",
  });
}
