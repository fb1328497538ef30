import { expect, test } from "vitest";
import { callerNoncePattern, jobOfNonce } from "./statement.ts";

test("a nonce stands for one UUID of version 8, which no job has", () => {
  expect(jobOfNonce("A".repeat(43))).toBe(jobOfNonce("A".repeat(43)));
  expect(jobOfNonce("A".repeat(43))).not.toBe(jobOfNonce(`${"A".repeat(42)}B`));
  expect(jobOfNonce("A".repeat(43))).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test.each(["", "A".repeat(21), "A".repeat(65), `${"A".repeat(30)}=`, `${"A".repeat(30)}\n`])(
  "what can be guessed, or written in two ways, is no nonce: %j",
  (nonce) => {
    expect(callerNoncePattern.test(nonce)).toBe(false);
  },
);
