import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign as signWith,
  verify,
} from "node:crypto";
import { bytesOf } from "./encoding.ts";
import { makeSealingPair, type SealingPair } from "./hpke.ts";

const seedLength = 32;

/** The key pair of a gateway, or of any of its kind: the public key raw, in base64url. */
export type SigningKey = { publicKey: string; sign(message: Uint8Array): Uint8Array };

/** Which node it is, from run to run. */
export type Identity = {
  /** The public key, base64url. */
  key: string;
  /** 32 bytes that the key pair is made from: what a node keeps in its data folder. */
  seed: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
};

/** The identity that a seed of 32 bytes makes, or a fresh one. */
export function makeIdentity(seed: Uint8Array = freshSeed()): Identity {
  const { publicKey, sign } = signingKeyOf(seed);
  return { key: publicKey, seed, sign };
}

/** The key that a gateway signs jobs with: made from the key of its data folder, the same after each start. */
export function gatewayKeyOf(secretKey: Uint8Array): SigningKey {
  return signingKeyOf(
    Buffer.from(hkdfSync("sha256", secretKey, "", "earshot gateway key/v1", seedLength)),
  );
}

/** The keys of one run of a node, in its memory alone. Public keys are raw, in base64url. */
export type RunKeys = {
  signingKey: string;
  sealingKey: string;
  sign(message: Uint8Array): Uint8Array;
  /** Null for what was not encrypted to this key (hpke.ts). */
  open: SealingPair["open"];
};

/** Fresh keys: Ed25519 to sign with, X25519 that jobs are encrypted to. */
export async function makeRunKeys(): Promise<RunKeys> {
  const signing = signingKeyOf(freshSeed());
  const sealing = await makeSealingPair();
  return {
    signingKey: signing.publicKey,
    sealingKey: sealing.publicKey,
    sign: signing.sign,
    open: sealing.open,
  };
}

/**
 * Whether the holder of a key (32 bytes in base64url) has signed a message. False for everything that is malformed, and for
 * keys of small order, whose signatures anybody can make: not every version of OpenSSL refuses them.
 */
export function isSignedBy(key: string, message: Uint8Array, signature: Uint8Array): boolean {
  const bytes = bytesOf(key, 32);
  if (bytes === null || signature.length !== 64 || isOfSmallOrder(bytes)) return false;
  try {
    return verify(null, message, publicKeyOf(key), signature);
  } catch {
    return false;
  }
}

/** Whether text is a public key that signatures can be checked with. */
export function isSigningKey(key: string): boolean {
  const bytes = bytesOf(key, 32);
  return bytes !== null && !isOfSmallOrder(bytes);
}

function signingKeyOf(seed: Uint8Array): SigningKey {
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

/** What stands before the seed in the PKCS #8 form of an Ed25519 key (RFC 8410). */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

function freshSeed(): Buffer {
  const { privateKey } = generateKeyPairSync("ed25519");
  return Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
}

const publicKeyOf = (key: string): KeyObject =>
  createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });

const rawOf = (key: KeyObject): string => key.export({ format: "jwk" }).x ?? "";

/** The y of all points of order 1, 2, 4 and 8, also in the spellings that are not reduced; little-endian, the sign left out. */
const smallOrders = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

function isOfSmallOrder(key: Buffer): boolean {
  const unsigned = Buffer.from(key);
  unsigned[31] = (unsigned[31] ?? 0) & 0x7f;
  return smallOrders.has(unsigned.toString("hex"));
}
