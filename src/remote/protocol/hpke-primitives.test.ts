import * as hpke from "hpke";
import { expect, test } from "vitest";
import { aesGcmLike, hkdfLike } from "./hpke-primitives.ts";

const own = new hpke.CipherSuite(
  hpke.KEM_DHKEM_X25519_HKDF_SHA256,
  hpke.KDF_HKDF_SHA256,
  hpke.AEAD_AES_256_GCM,
);
const quick = new hpke.CipherSuite(
  hpke.KEM_DHKEM_X25519_HKDF_SHA256,
  hkdfLike(hpke.KDF_HKDF_SHA256),
  aesGcmLike(hpke.AEAD_AES_256_GCM),
);
const info = Buffer.from("info");
const aad = Buffer.from("aad");
const label = Buffer.from("label");

test.for([
  [own, quick],
  [quick, own],
] as const)(
  "what one end seals the other one opens, with the same secret",
  async ([one, other]) => {
    const pair = await other.GenerateKeyPair(false);
    for (const length of [0, 1, 31, 32, 1_000]) {
      const plain = Buffer.alloc(length, 7);
      const { encapsulatedSecret, ctx } = await one.SetupSender(pair.publicKey, { info });
      const context = await other.SetupRecipient(pair, encapsulatedSecret, { info });
      expect(Buffer.from(await context.Open(await ctx.Seal(plain, aad), aad))).toEqual(plain);
      for (const wanted of [1, 32, 33, 100]) {
        expect(await context.Export(label, wanted)).toEqual(await ctx.Export(label, wanted));
      }
    }
  },
);

test("what was changed on the way does not open", async () => {
  const pair = await quick.GenerateKeyPair(false);
  const { encapsulatedSecret, ctx } = await quick.SetupSender(pair.publicKey, { info });
  const sealed = await ctx.Seal(Buffer.from("plain"), aad);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = sealed.with(at, (sealed[at] ?? 0) ^ 1);
    const context = await quick.SetupRecipient(pair, encapsulatedSecret, { info });
    await expect(context.Open(changed, aad)).rejects.toThrow(hpke.OpenError);
  }
  const context = await quick.SetupRecipient(pair, encapsulatedSecret, { info });
  await expect(context.Open(sealed.subarray(0, 3), aad)).rejects.toThrow(hpke.OpenError);
});
