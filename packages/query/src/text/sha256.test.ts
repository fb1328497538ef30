import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex } from "./token.ts";

const nodeHash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

test("SHA-256 hashes messages of every length around that of a block as Node does", () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 0xff);
    expect(sha256Hex(bytes)).toBe(nodeHash(bytes));
  }
});

test("SHA-256 hashes any bytes as Node does", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      expect(sha256Hex(bytes)).toBe(nodeHash(bytes));
    }),
  );
});
