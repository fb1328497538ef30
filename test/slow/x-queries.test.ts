import { expect, test } from "vitest";
import { checkSuperset } from "../../testkit/emulators/x/superset.ts";
import { testSeed } from "../../testkit/seed.ts";

const numRuns = 600;

test("requests to X contain only queries that X accepts, and cover every matching post", {
  timeout: 240_000,
}, () => {
  const { sent, matching } = checkSuperset({ numRuns, seed: testSeed(20_261_122) });
  expect(sent).toBeGreaterThan(numRuns * 5);
  expect(matching).toBeGreaterThan(numRuns * 10);
});
