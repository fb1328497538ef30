import { expect, test } from "vitest";
import { runJobMachine } from "../../testkit/job-machine/run-job-machine.ts";

test("no job is lost, ended twice or visible to other accounts, whatever clients, nodes, crashes and clocks do", async () => {
  expect(await runJobMachine({ numRuns: 8, seed: 20_261_121 })).toBeGreaterThan(300);
});
