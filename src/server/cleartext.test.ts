import { expect, test } from "vitest";
import { cleartextWarning } from "./cleartext.ts";
import { configFrom } from "./config.ts";

const warningOf = (settings: Record<string, string>) => cleartextWarning(configFrom(settings));

test.each(["0.0.0.0", "::", "192.0.2.7", "127.evil.example"])(
  "a server that listens on %s without a public address says what that does to cookies",
  (host) => {
    expect(warningOf({ EARSHOT_HOST: host })).toContain("EARSHOT_PUBLIC_URL");
  },
);

test("nothing is said of a laptop, nor where the public address is known", () => {
  for (const host of ["127.0.0.1", "127.0.0.53", "::1", "localhost"]) {
    expect(warningOf({ EARSHOT_HOST: host })).toBeNull();
  }
  const named = { EARSHOT_HOST: "0.0.0.0", EARSHOT_PUBLIC_URL: "https://earshot.example" };
  expect(warningOf(named)).toBeNull();
});
