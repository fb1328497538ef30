import { expect, test } from "vitest";
import { checkSuperset } from "../../testkit/emulators/x/superset.ts";
import { testSeed } from "../../testkit/seed.ts";

const numRuns = 600;

test("requests to X contain only queries that X accepts, and cover every matching post", {
  timeout: 240_000,
}, () => {
  const { requestCount, matchCount } = checkSuperset({ numRuns, seed: testSeed(20_261_122) });
  expect(requestCount).toBeGreaterThan(numRuns * 5);
  expect(matchCount).toBeGreaterThan(numRuns * 10);
});
