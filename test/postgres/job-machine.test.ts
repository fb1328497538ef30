import { expect, test } from "vitest";
import { runJobMachine } from "../../testkit/job-machine/run-job-machine.ts";
import { createPostgresEngine } from "../../testkit/postgres/machine-engine.ts";

test("no job in PostgreSQL is lost, ended twice or visible to other accounts", async () => {
  const runs = { numRuns: 8, seed: 20_261_121 };
  expect(await runJobMachine(runs, createPostgresEngine)).toBeGreaterThan(300);
});
