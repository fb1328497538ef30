/** RFC 9180, base mode. */
import { once } from "../../lib/once.ts";
import { decodeBase64Url, encodeBase64Url } from "./encoding.ts";

export type Binding = { info: Uint8Array; aad: Uint8Array };

/** For exporting the key that encrypts the answer. */
const exportLabel = Buffer.from("earshot answer/v1");

const createSuite = once(async () => {
  const hpke = await import("hpke");
  return new hpke.CipherSuite(
    hpke.KEM_DHKEM_X25519_HKDF_SHA256,
    hpke.KDF_HKDF_SHA256,
    hpke.AEAD_AES_256_GCM,
  );
});

/** The private key is not extractable. */
export async function makeEncryptionKeyPair() {
  const suite = await createSuite();
  const pair = await suite.GenerateKeyPair(false);
  const publicKey = encodeBase64Url(await suite.SerializePublicKey(pair.publicKey));

  async function open(encapsulated: Uint8Array, ciphertext: Uint8Array, { info, aad }: Binding) {
    try {
      const context = await suite.SetupRecipient(pair, encapsulated, { info });
      const plaintext = Buffer.from(await context.Open(ciphertext, aad));
      return { plaintext, exportedKey: Buffer.from(await context.Export(exportLabel, 32)) };
    } catch {
      return null;
    }
  }

  return { publicKey, open };
}

export async function encryptTo(publicKey: string, plaintext: Uint8Array, { info, aad }: Binding) {
  const suite = await createSuite();
  const bytes = decodeBase64Url(publicKey, 32);
  if (bytes === null) return null;
  try {
    const key = await suite.DeserializePublicKey(bytes);
    const { encapsulatedSecret, ctx } = await suite.SetupSender(key, { info });
    const ciphertext = Buffer.from(await ctx.Seal(plaintext, aad));
    const exportedKey = Buffer.from(await ctx.Export(exportLabel, 32));
    return { encapsulated: Buffer.from(encapsulatedSecret), ciphertext, exportedKey };
  } catch {
    return null;
  }
}
