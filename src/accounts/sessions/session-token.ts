import { createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto";
import { type RandomBytes, randomBase62 } from "../../lib/base62.ts";

/**
 * A random handle (131 bits), a generation and a hash of the client, authenticated with the
 * server's key. Only hashes are stored, so a leaked store signs no one in. A repeated replacement
 * gives the same client the same token, and another client a different one.
 */
export type SessionToken = { handle: string; generation: number; clientHash: string };

export type PresentedToken = SessionToken & { id: string };

export type SessionTokens = {
  print(token: SessionToken): string;
  /** Null unless this server issued it. */
  parse(text: string): PresentedToken | null;
};

const form = /^([0-9A-Za-z]{22})\.([1-9]\d{0,8})\.([0-9A-Za-z_-]{8})\.([0-9A-Za-z_-]{43})$/;

/** `secretKey`: see lib/secret-key.ts. */
export function createSessionTokens(secretKey: Uint8Array): SessionTokens {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", "earshot session", 32));
  const getCode = ({ handle, generation, clientHash }: SessionToken) =>
    createHmac("sha256", key).update(`${handle}.${generation}.${clientHash}`).digest();

  return {
    print: (token) => {
      const { handle, generation, clientHash } = token;
      return `${handle}.${generation}.${clientHash}.${getCode(token).toString("base64url")}`;
    },
    parse: (text) => {
      const [, handle, generationText, clientHash, code] = form.exec(text) ?? [];
      if (handle === undefined || clientHash === undefined || code === undefined) return null;
      const token = { handle, generation: Number(generationText), clientHash };
      const presentedCode = Buffer.from(code, "base64url");
      return timingSafeEqual(getCode(token), presentedCode)
        ? { ...token, id: handleSessionId(handle) }
        : null;
    },
  };
}

export function firstToken(randomBytes: RandomBytes): PresentedToken {
  const handle = randomBase62(22, randomBytes);
  return { id: handleSessionId(handle), handle, generation: 1, clientHash: "-".repeat(8) };
}

export function nextToken(
  { handle, generation }: SessionToken,
  { agent, addressGroup }: { agent: string; addressGroup: string },
): SessionToken {
  const clientHash = hash("sha256", `${agent}\n${addressGroup}`, "base64url").slice(0, 8);
  return { handle, generation: generation + 1, clientHash };
}

/** The ID is public and does not reveal the handle. */
function handleSessionId(handle: string): string {
  return hash("sha256", handle, "base64url").slice(0, 22);
}

export function newSecret(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(32)).toString("base64url");
}

export function hashTokenSecret(secret: string): string {
  return hash("sha256", secret, "base64");
}
