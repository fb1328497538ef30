import { createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto";
import { type RandomBytes, randomBase62 } from "../../lib/base62.ts";

/**
 * What proves a session: a handle of 131 random bits, a generation that counts up with each replacement, and who asked for that
 * replacement. All of it is written with a code that only this server can make. The store keeps a hash of the handle and which
 * generation is in use, so that what it holds signs nobody in, and a generation that was replaced is told from a text that never
 * was a token. Asked for again, a replacement is the same; asked for by somebody else, it is another.
 */
export type SessionToken = { handle: string; generation: number; asker: string };

/** A token that this server made, with the name that its session has everywhere but in the cookie. */
export type PresentedToken = SessionToken & { id: string };

export type SessionTokens = {
  print(token: SessionToken): string;
  /** Null for anything that this server has not printed. */
  parse(text: string): PresentedToken | null;
};

const form = /^([0-9A-Za-z]{22})\.([1-9]\d{0,8})\.([0-9A-Za-z_-]{8})\.([0-9A-Za-z_-]{43})$/;

/** Tokens of a server with this secret key (lib/secret-key.ts). */
export function createSessionTokens(secretKey: Uint8Array): SessionTokens {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", "earshot session", 32));
  const codeOf = ({ handle, generation, asker }: SessionToken) =>
    createHmac("sha256", key).update(`${handle}.${generation}.${asker}`).digest();

  return {
    print: (token) => {
      const { handle, generation, asker } = token;
      return `${handle}.${generation}.${asker}.${codeOf(token).toString("base64url")}`;
    },
    parse: (text) => {
      const [, handle, written, asker, code] = form.exec(text) ?? [];
      if (handle === undefined || asker === undefined || code === undefined) return null;
      const token = { handle, generation: Number(written), asker };
      const presented = Buffer.from(code, "base64url");
      return timingSafeEqual(codeOf(token), presented)
        ? { ...token, id: sessionIdOf(handle) }
        : null;
    },
  };
}

/** The token that a session begins with. */
export function firstToken(randomBytes: RandomBytes): PresentedToken {
  const handle = randomBase62(22, randomBytes);
  return { id: sessionIdOf(handle), handle, generation: 1, asker: "-".repeat(8) };
}

/** The token that takes another's place where somebody asks for one from this browser and network. */
export function nextToken(
  { handle, generation }: SessionToken,
  { agent, addressGroup }: { agent: string; addressGroup: string },
): SessionToken {
  const asker = hash("sha256", `${agent}\n${addressGroup}`, "base64url").slice(0, 8);
  return { handle, generation: generation + 1, asker };
}

/** It is told to people, and leads back to no handle. */
function sessionIdOf(handle: string): string {
  return hash("sha256", handle, "base64url").slice(0, 22);
}

/** 256 random bits in base64url. */
export function newSecret(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(32)).toString("base64url");
}

/** SHA-256 in base64, which travels to the store cheaply. */
export function hashOfSecret(secret: string): string {
  return hash("sha256", secret, "base64");
}
