import { expect, test } from "vitest";
import { insecureBanner } from "./insecure-evidence.ts";

test("no banner is shown if only verified nodes are accepted", () => {
  expect(insecureBanner([])).toBeNull();
});

test.each([
  [["simulated"], "SIMULATED", "accepts simulated evidence"],
  [["none"], "NO EVIDENCE", "nodes without evidence"],
  [["simulated", "none"], "UNVERIFIED", "simulated evidence and without evidence"],
] as const)("the banner explains what accepting %j evidence means", (kinds, word, used) => {
  const banner = insecureBanner(kinds);
  expect(banner?.label).toBe(word);
  expect(banner?.text).toContain(used);
  expect(banner?.text).toContain("Results may come from machines that are not verified");
});
