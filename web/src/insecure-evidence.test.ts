import { expect, test } from "vitest";
import { insecureBanner } from "./insecure-evidence.ts";

test("a server that takes proven nodes alone has no banner", () => {
  expect(insecureBanner([])).toBeNull();
});

test.each([
  [["simulated"], "SIMULATED", "made in software"],
  [["none"], "NO EVIDENCE", "show no evidence"],
  [["simulated", "none"], "NOT PROVEN", "made in software, and nodes that show none"],
] as const)("a server that takes %j says so, and what it means", (kinds, word, taken) => {
  const banner = insecureBanner(kinds);
  expect(banner?.word).toBe(word);
  expect(banner?.text).toContain(taken);
  expect(banner?.text).toContain("Results may come from machines that prove nothing");
});
