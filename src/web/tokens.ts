// Tokens for access: a link's token works once and is exchanged for a page's token, which lives as long as this object.
// Invariant: only hashes are kept, and they are compared in constant time. A program that can merely reach the port gets no token.

import { hash, randomBytes, timingSafeEqual } from "node:crypto";

export interface Tokens {
  /** A token for a person, to be shown only where nobody else reads it. */
  newLink(): string;
  /** The page's own token; null if the link does not exist or was used. */
  enter(link: string): string | null;
  /** Whether the link has opened a page. */
  wasUsed(link: string): boolean;
  isPage(token: string): boolean;
}

const TOKEN_BYTES = 32;
/** The most unused links that are kept. The oldest is dropped. */
const UNUSED_LINKS = 16;

export function createTokens(): Tokens {
  const links: Buffer[] = [];
  const used: Buffer[] = [];
  const pages: Buffer[] = [];
  return {
    newLink() {
      const token = newToken();
      links.push(hashOf(token));
      if (links.length > UNUSED_LINKS) links.shift();
      return token;
    },
    enter(link) {
      const at = indexOfToken(link, links);
      if (at < 0) return null;
      used.push(...links.splice(at, 1)); // SECURITY(T33): a link works for one page
      const token = newToken();
      pages.push(hashOf(token));
      return token;
    },
    wasUsed: (link) => indexOfToken(link, used) >= 0,
    isPage: (token) => indexOfToken(token, pages) >= 0,
  };
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

function hashOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** Compares with all hashes, so that the time does not depend on the position. */
function indexOfToken(token: string, hashes: readonly Buffer[]): number {
  const sought = hashOf(token);
  return hashes.reduce((found, known, at) => (timingSafeEqual(sought, known) ? at : found), -1);
}
