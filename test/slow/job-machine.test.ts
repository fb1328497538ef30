import { expect, test } from "vitest";
import { runJobMachine } from "../../testkit/job-machine/run-job-machine.ts";
import { testSeed } from "../../testkit/seed.ts";

const expectedSteps = Number(process.env.EARSHOT_TEST_STEPS ?? 50_000);
const runsPerRound = 50;
const seed = testSeed(20_261_121);

test(`no job is lost, ended twice or visible to others, over ${expectedSteps} steps`, {
  timeout: 1_800_000,
}, async () => {
  console.log(`EARSHOT_TEST_SEED=${seed}`);
  let steps = 0;
  for (let round = 1; steps < expectedSteps; round += 1) {
    steps += await runJobMachine({ numRuns: runsPerRound, seed: seed + round });
  }
  console.log(`${steps} steps`);
  expect(steps).toBeGreaterThanOrEqual(expectedSteps);
});
