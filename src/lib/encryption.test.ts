import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEncryptor } from "./encryption.ts";

const owner = { purpose: "webhook", accountId: "account", id: "wh_1" };
const key = randomBytes(32);
const encryptor = createEncryptor(key, randomBytes);
const mismatch = expect.objectContaining({ name: "EarshotError", code: "secret_key_mismatch" });

describe("encrypted secret", () => {
  test("an encrypted secret decrypts to the original text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (secret) => {
        expect(encryptor.decrypt(encryptor.encrypt(secret, owner), owner)).toBe(secret);
      }),
    );
  });

  test("an encrypted secret reveals nothing, and differs each time", () => {
    const first = Buffer.from(encryptor.encrypt("whsec_abcdefgh", owner));
    expect(first.toString("latin1")).not.toContain("abcd");
    expect(first.equals(Buffer.from(encryptor.encrypt("whsec_abcdefgh", owner)))).toBe(false);
  });

  test.each([
    { ...owner, purpose: "credential" },
    { ...owner, accountId: "another" },
    { ...owner, id: "wh_2" },
    { purpose: "webhook", accountId: "accountw", id: "h_1" },
  ])("an encrypted secret does not decrypt for another purpose or owner: %o", (other) => {
    const encrypted = encryptor.encrypt("secret", owner);
    expect(() => encryptor.decrypt(encrypted, other)).toThrow(mismatch);
  });

  test("an encrypted secret does not decrypt with another key, and the error names only the setting", () => {
    const encrypted = encryptor.encrypt("hidden", owner);
    const other = createEncryptor(randomBytes(32), randomBytes);
    try {
      other.decrypt(encrypted, owner);
      expect.unreachable();
    } catch (error) {
      expect(error).toEqual(mismatch);
      expect(error).toHaveProperty("hint", expect.stringContaining("EARSHOT_SECRET_KEY"));
      expect(String(error)).not.toContain("hidden");
    }
  });

  test("an encrypted secret does not decrypt if a single bit has changed or any of it is missing", () => {
    const encrypted = encryptor.encrypt("secret", owner);
    for (let offset = 0; offset < encrypted.length; offset += 1) {
      const changed = Uint8Array.from(encrypted, (byte, index) =>
        index === offset ? byte ^ 1 : byte,
      );
      expect(() => encryptor.decrypt(changed, owner), `byte ${offset}`).toThrow(mismatch);
      expect(() => encryptor.decrypt(encrypted.slice(0, offset), owner), `${offset} bytes`).toThrow(
        mismatch,
      );
    }
  });
});
