import { expect, test } from "vitest";
import { decodeBase64, decodeBase64Url, encodeBase64Url } from "./encoding.ts";
import { deriveGatewayKey, isSignedBy, isSigningKey, makeRunKeys, makeSigningKey } from "./keys.ts";

const message = Buffer.from("a message");

test("a node's identity depends only on its seed", () => {
  const seed = Buffer.alloc(32, 3);
  const first = makeSigningKey(seed);
  expect(makeSigningKey(seed).publicKey).toBe(first.publicKey);
  expect(makeSigningKey().publicKey).not.toBe(first.publicKey);
  expect(decodeBase64Url(first.publicKey, 32)).not.toBeNull();
  expect(isSignedBy(first.publicKey, message, first.sign(message))).toBe(true);
  expect(() => makeSigningKey(Buffer.alloc(31))).toThrow("32 bytes");
});

test("a gateway's key is derived from its data folder's key, and differs from it", () => {
  const key = deriveGatewayKey(Buffer.alloc(32, 1));
  expect(deriveGatewayKey(Buffer.alloc(32, 1)).publicKey).toBe(key.publicKey);
  expect(deriveGatewayKey(Buffer.alloc(32, 2)).publicKey).not.toBe(key.publicKey);
  expect(makeSigningKey(Buffer.alloc(32, 1)).publicKey).not.toBe(key.publicKey);
  expect(isSignedBy(key.publicKey, message, key.sign(message))).toBe(true);
});

test("the keys of each run are new", async () => {
  const [first, second] = await Promise.all([makeRunKeys(), makeRunKeys()]);
  expect(first.signingKey).not.toBe(second.signingKey);
  expect(first.encryptionKey).not.toBe(second.encryptionKey);
  expect(isSignedBy(second.signingKey, message, first.sign(message))).toBe(false);
  expect(JSON.stringify(first)).not.toMatch(/"(?:d|seed|private\w*)":/);
});

test.each([
  ["another message", (key: string, signature: Buffer) => [key, Buffer.from("b"), signature]],
  ["a flipped bit", (key: string, signature: Buffer) => [key, message, flip(signature)]],
  [
    "a truncated signature",
    (key: string, signature: Buffer) => [key, message, signature.subarray(1)],
  ],
  ["no signature", (key: string) => [key, message, Buffer.alloc(0)]],
  ["no key", (_key: string, signature: Buffer) => ["", message, signature]],
  ["a padded key", (key: string, signature: Buffer) => [`${key}=`, message, signature]],
  [
    "a key in the other alphabet",
    (_key: string, signature: Buffer) => ["+".repeat(43), message, signature],
  ],
  ["a truncated key", (key: string, signature: Buffer) => [key.slice(1), message, signature]],
] satisfies [string, (key: string, signature: Buffer) => [string, Buffer, Buffer]][])(
  "a signature is invalid with %s",
  (_name, change) => {
    const { publicKey: key, sign } = makeSigningKey();
    const [changedKey, changedMessage, signature] = change(key, Buffer.from(sign(message)));
    expect(isSignedBy(changedKey, changedMessage, signature)).toBe(false);
  },
);

test.each([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
])("a key of small order verifies nothing: %s", (point) => {
  const forgedSignature = Buffer.concat([Buffer.of(1), Buffer.alloc(63)]);
  for (const sign of [0, 0x80]) {
    const bytes = Buffer.from(point, "hex");
    bytes[31] = (bytes[31] ?? 0) | sign;
    expect(isSigningKey(encodeBase64Url(bytes))).toBe(false);
    expect(isSignedBy(encodeBase64Url(bytes), message, forgedSignature)).toBe(false);
  }
  expect(isSigningKey(makeSigningKey().publicKey)).toBe(true);
});

test("base64 and base64url texts have one spelling", () => {
  expect(decodeBase64Url("AQ", 1)).toEqual(Buffer.of(1));
  for (const text of ["AR", "AQ==", "AQ ", "A Q", "AQ\n", "+Q", "A"])
    expect(decodeBase64Url(text)).toBeNull();
  expect(decodeBase64("AQ==")).toEqual(Buffer.of(1));
  for (const text of ["AQ", "AR==", "AQ=", " AQ==", "_w=="]) expect(decodeBase64(text)).toBeNull();
});

function flip(bytes: Buffer): Buffer {
  const flippedBytes = Buffer.from(bytes);
  flippedBytes[5] = (flippedBytes[5] ?? 0) ^ 1;
  return flippedBytes;
}
