import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
} from "node:crypto";
import type { Position } from "../archive/archive.ts";
import { EarshotError } from "../lib/errors.ts";
import type { FetchPosition } from "../platforms/upstream.ts";
import { platforms } from "../posts/post.ts";
import type { RequestedBounds, SearchJobRequest } from "./job.ts";

export type CursorScope = Pick<SearchJobRequest, "platform" | "type" | "method"> & {
  accountId: string;
  canonicalQuery: string;
};

/** `asOfMs` is the submission time of the first page, which determined the window from `fromMs` to `toMs`. */
export type CursorPosition = (
  | { after: Position; position?: null }
  | { after: null; position: FetchPosition }
) & {
  fromMs: number | null;
  toMs: number;
  asOfMs: number;
  requestedBounds: RequestedBounds;
};

export type CursorContent = CursorScope & CursorPosition;

/**
 * A position has a fixed length and ends with its post's `uriHash`, or with zeros. A fetch position
 * is JSON.
 */
const currentLayout = 5;
const fetchLayout = 4;
const layoutWithoutHash = 3;
const layoutWithoutAsOf = 2;
const nonceLength = 12;
const tagLength = 16;
const scopeHashLength = 16;
const headLength = 1 + scopeHashLength;
const computeLength = (timeCount: number): number => headLength + 1 + 8 + timeCount * 8;
const uriHashLength = 16;
const contentLength = computeLength(5) + uriHashLength;
const noUriHash = "0".repeat(uriHashLength * 2);
/** Short enough for the header limits of clients. */
export const maxCursorLength = 4_096;
const maxFetchBytes = (maxCursorLength * 3) / 4 - nonceLength - headLength - tagLength;
const unboundedTime = -(2n ** 63n);

/**
 * AES-256-GCM in base64url, bound to the search. The nonce is a keyed hash of the content, so that
 * no two contents share one.
 */
export function encryptCursor(secret: Uint8Array, content: CursorContent): string {
  const plaintext = encode(content);
  const keys = keysFor(secret);
  const nonce = createHmac("sha256", keys.nonce)
    .update(plaintext)
    .digest()
    .subarray(0, nonceLength);
  const cipher = createCipheriv("aes-256-gcm", keys.encryption, nonce);
  return Buffer.concat([
    nonce,
    cipher.update(plaintext),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString("base64url");
}

/**
 * Errors: `cursor_invalid` if this store did not encrypt it, `cursor_mismatch` if it belongs to
 * another search.
 */
export function decryptCursor(
  secret: Uint8Array,
  text: string,
  expected: CursorScope,
): CursorPosition {
  const plaintext = decrypt(secret, text);
  const scope = plaintext.subarray(1, headLength);
  if (!scope.equals(computeHash(expected))) {
    throw new EarshotError("cursor_mismatch", "the cursor belongs to another search", {
      status: 400,
      hint: "repeat the account, platform, type, method and query of the search that returned it; only max_results may change",
    });
  }
  return decode(plaintext);
}

function decrypt(secret: Uint8Array, text: string): Buffer {
  const encryptedBytes = Buffer.from(text, "base64url");
  if (encryptedBytes.length <= nonceLength + headLength + tagLength) throw invalidCursor();
  if (text.length > maxCursorLength || encryptedBytes.toString("base64url") !== text)
    throw invalidCursor();
  const decipher = createDecipheriv(
    "aes-256-gcm",
    keysFor(secret).encryption,
    encryptedBytes.subarray(0, nonceLength),
    { authTagLength: tagLength },
  );
  decipher.setAuthTag(encryptedBytes.subarray(-tagLength));
  const plaintext = decipher.update(encryptedBytes.subarray(nonceLength, -tagLength));
  try {
    decipher.final();
  } catch {
    throw invalidCursor();
  }
  if (!isKnownLayout(plaintext)) throw invalidCursor();
  return plaintext;
}

function isKnownLayout(plaintext: Buffer): boolean {
  switch (plaintext[0]) {
    case currentLayout:
      return plaintext.length === contentLength;
    case layoutWithoutHash:
      return plaintext.length === computeLength(5);
    case layoutWithoutAsOf:
      return plaintext.length === computeLength(4);
    default:
      return plaintext[0] === fetchLayout;
  }
}

/** Upstream page tokens have no length limit. */
export const fitsInCursor = (position: FetchPosition): boolean =>
  Buffer.byteLength(JSON.stringify(position)) <= maxFetchBytes - maxTimesLength;

const maxTimesLength = 200;

function encode(content: CursorContent): Buffer {
  const { after, position } = content;
  if (after === null)
    return Buffer.concat([getHead(fetchLayout, content), fetchJson(content, position)]);
  const plaintext = Buffer.alloc(contentLength);
  getHead(currentLayout, content).copy(plaintext);
  let offset = headLength;
  offset = plaintext.writeUInt8(platforms.indexOf(after.platform), offset);
  offset = plaintext.writeBigUInt64BE(after.id, offset);
  const { fromMs, toMs, asOfMs, requestedBounds } = content;
  for (const ms of [fromMs, toMs, asOfMs, requestedBounds.startMs, requestedBounds.endMs]) {
    offset = plaintext.writeBigInt64BE(ms === null ? unboundedTime : BigInt(ms), offset);
  }
  plaintext.write(after.uriHash ?? noUriHash, offset, "hex");
  return plaintext;
}

const getHead = (layoutByte: number, content: CursorScope): Buffer =>
  Buffer.concat([Uint8Array.of(layoutByte), computeHash(content)]);

/** Uses the names that earlier versions of the gateway read. */
type EncodedFetch = Pick<CursorPosition, "fromMs" | "toMs" | "asOfMs"> & {
  place: FetchPosition;
  asked: RequestedBounds;
};

function fetchJson(content: CursorContent, position: FetchPosition): Buffer {
  const { fromMs, toMs, asOfMs, requestedBounds } = content;
  const encodedFetch: EncodedFetch = {
    place: position,
    fromMs,
    toMs,
    asOfMs,
    asked: requestedBounds,
  };
  return Buffer.from(JSON.stringify(encodedFetch));
}

const decodeFetch = ({ place, asked, ...times }: EncodedFetch): CursorPosition => ({
  ...times,
  after: null,
  position: place,
  requestedBounds: asked,
});

function decode(plaintext: Buffer): CursorPosition {
  const offset = headLength;
  if (plaintext[0] === fetchLayout)
    return decodeFetch(JSON.parse(plaintext.toString("utf8", offset)));
  const platform = platforms[plaintext.readUInt8(offset)];
  if (platform === undefined) throw invalidCursor();
  const count = plaintext[0] === layoutWithoutAsOf ? 4 : 5;
  const times = Array.from({ length: count }, (_, n) => timeAt(plaintext, offset + 9 + 8 * n));
  const [fromMs = null, toMs, ...rest] = times;
  if (toMs === null || toMs === undefined) throw invalidCursor();
  const [asOfMs, startMs = null, endMs = null] = count === 4 ? [toMs, ...rest] : rest;
  if (asOfMs === null || asOfMs === undefined) throw invalidCursor();
  const uriHash =
    plaintext[0] === currentLayout
      ? plaintext.toString("hex", contentLength - uriHashLength)
      : noUriHash;
  const id = plaintext.readBigUInt64BE(offset + 1);
  return {
    after: { platform, id, ...(uriHash === noUriHash ? {} : { uriHash }) },
    fromMs,
    toMs,
    asOfMs,
    requestedBounds: { startMs, endMs },
  };
}

function timeAt(plaintext: Buffer, offset: number): number | null {
  const time = plaintext.readBigInt64BE(offset);
  return time === unboundedTime ? null : Number(time);
}

function computeHash({ accountId, platform, type, method, canonicalQuery }: CursorScope): Buffer {
  const scope = JSON.stringify([accountId, platform, type, method, canonicalQuery]);
  return hash("sha256", scope, "buffer").subarray(0, scopeHashLength);
}

type CursorKeys = { encryption: KeyObject; nonce: KeyObject };

const keyCache = new WeakMap<Uint8Array, CursorKeys>();

function keysFor(secret: Uint8Array): CursorKeys {
  const cachedKeys = keyCache.get(secret);
  if (cachedKeys !== undefined) return cachedKeys;
  const keys = { encryption: derive(secret, "cursor key"), nonce: derive(secret, "cursor nonce") };
  keyCache.set(secret, keys);
  return keys;
}

function derive(secret: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(createHmac("sha256", secret).update(`${purpose}\0`).digest());
}

function invalidCursor(): EarshotError {
  return new EarshotError("cursor_invalid", "invalid cursor", {
    status: 400,
    hint: "send next_cursor unchanged, or omit it for the first page",
  });
}
