import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign as signWith,
  verify,
} from "node:crypto";
import { decodeBase64Url } from "./encoding.ts";
import { makeEncryptionKeyPair } from "./hpke.ts";

const seedLength = 32;

export type SigningKey = { publicKey: string; sign(message: Uint8Array): Uint8Array };

/** Derived from the data folder's key, so that it is stable across restarts. */
export function deriveGatewayKey(secretKey: Uint8Array): SigningKey {
  return makeSigningKey(
    Buffer.from(hkdfSync("sha256", secretKey, "", "earshot gateway key/v1", seedLength)),
  );
}

/** The keys of one run, in memory only. */
export type RunKeys = Awaited<ReturnType<typeof makeRunKeys>>;

export async function makeRunKeys() {
  const { publicKey: signingKey, sign } = makeSigningKey();
  const { publicKey: encryptionKey, open } = await makeEncryptionKeyPair();
  return { signingKey, encryptionKey, sign, open };
}

/** Refuses keys of small order, which not every OpenSSL does: anyone can forge their signatures. */
export function isSignedBy(
  key: string,
  message: Uint8Array,
  signature: Uint8Array | null,
): boolean {
  const bytes = decodeBase64Url(key, 32);
  if (bytes === null || signature?.length !== 64 || isOfSmallOrder(bytes)) return false;
  try {
    return verify(null, message, makePublicKey(key), signature);
  } catch {
    return false;
  }
}

export function isSigningKey(key: string): boolean {
  const bytes = decodeBase64Url(key, 32);
  return bytes !== null && !isOfSmallOrder(bytes);
}

export function makeSigningKey(seed: Uint8Array = freshSeed()): SigningKey {
  if (seed.length !== seedLength) throw new Error(`a seed has ${seedLength} bytes`);
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, seed]),
    format: "der",
    type: "pkcs8",
  });
  return {
    publicKey: rawOf(createPublicKey(key)),
    sign: (message) => signWith(null, message, key),
  };
}

/** PKCS #8 prefix of an Ed25519 private key (RFC 8410). */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

function freshSeed(): Buffer {
  const { privateKey } = generateKeyPairSync("ed25519");
  return Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
}

const makePublicKey = (key: string): KeyObject =>
  createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });

const rawOf = (key: KeyObject): string => key.export({ format: "jwk" }).x ?? "";

/**
 * The y coordinates of the points of order 1, 2, 4 and 8, including non-canonical encodings;
 * little-endian, without the sign bit.
 */
const smallOrderPoints = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

function isOfSmallOrder(key: Buffer): boolean {
  const maskedKey = Buffer.from(key);
  maskedKey[31] = (maskedKey[31] ?? 0) & 0x7f;
  return smallOrderPoints.has(maskedKey.toString("hex"));
}
