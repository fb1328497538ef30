import fc from "fast-check";
import { expect, test } from "vitest";
import type { SqliteDatabase } from "../db/open.ts";
import { runOn } from "../db/operations.ts";
import type { JobState } from "./job.ts";
import { jobOperations as run } from "./operations.ts";
import { encodeRequest } from "./stored.ts";
import { openJobTable, request } from "./test-jobs.ts";

/** A reference model of states.ts. */
type Model = {
  uuid: string;
  state: JobState;
  attempts: number;
  deaths: number;
  tokens: string[];
  leaseUntilMs: number;
  deadlineMs: number;
  expiresMs: number;
  failure: string | null;
  isForgotten: boolean;
};

type JobCommand =
  | { kind: "lease"; job: number }
  | { kind: "renew"; job: number; stale: boolean }
  | { kind: "complete"; job: number; stale: boolean }
  | { kind: "returnJob"; job: number; stale: boolean }
  | { kind: "fail"; job: number; stale: boolean; retryable: boolean; died: boolean }
  | { kind: "cancel"; job: number };

type Command =
  | { kind: "insert" | "lapse" | "timeOut" | "recover" | "expire" }
  | { kind: "pass"; ms: number }
  | JobCommand;

const job = fc.nat({ max: 1 });
const stale = fc.constantFrom(false, false, false, true);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("insert", "lapse", "lapse", "timeOut", "recover", "expire", "expire"),
  }),
  fc.record({ kind: fc.constant("pass"), ms: fc.constantFrom(1, 400, 1_000, 5_000) }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("lease"), job }) },
  fc.record({ kind: fc.constant("renew"), job, stale }),
  fc.record({ kind: fc.constant("complete"), job, stale }),
  fc.record({ kind: fc.constant("returnJob"), job, stale }),
  fc.record({ kind: fc.constant("cancel"), job }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("fail"),
      job,
      stale,
      retryable: fc.constantFrom(true, true, true, false),
      died: fc.boolean(),
    }),
  },
);

const rules = { maxAttempts: 3, retryDelayMs: 250 };
const leaseMs = 1_500;
const lifetimeMs = 6_000;
const resultRetentionMs = 2_000;

function check(database: SqliteDatabase, commands: readonly Command[], seen: Set<string>): void {
  database.run("DELETE FROM job");
  const models: Model[] = [];
  let nowMs = 1_000_000;
  let tokens = 0;

  function recordFailure(model: Model, code: string, retryable: boolean): void {
    const delayMs = 250 * 2 ** (model.attempts - 1);
    if (model.deaths === 2) recordEnd(model, "poison_job");
    else if (retryable && model.attempts < 3 && nowMs + delayMs < model.deadlineMs) {
      model.state = "error(retrying)";
    } else recordEnd(model, code);
  }

  function recordEnd(model: Model, failure: string): void {
    model.state = "error";
    model.failure = failure;
  }

  function makeLease({ uuid, tokens, deadlineMs }: Model, which: number) {
    return { uuid, token: tokens.at(which) ?? "none", deadlineMs };
  }

  function changesAfter(after: number) {
    return runOn(run.changesAfter, database, { accountId: "one", after, limit: 100, nowMs });
  }

  function step(one: Command): void {
    if ("job" in one) {
      const model = models[one.job];
      if (model !== undefined) getStep(model, one);
    } else if (one.kind === "insert") {
      if (models.length === 2) return;
      const uuid = `job-${models.length}`;
      const deadlineMs = nowMs + lifetimeMs;
      runOn(run.insertJob, database, {
        uuid,
        accountId: "one",
        keyId: "key",
        request: encodeRequest(request),
        canonicalQuery: "comet",
        warnings: "[]",
        submittedMs: nowMs,
        deadlineMs,
      });
      models.push({
        uuid,
        state: "received",
        attempts: 0,
        deaths: 0,
        tokens: [],
        leaseUntilMs: 0,
        deadlineMs,
        expiresMs: 0,
        failure: null,
        isForgotten: false,
      });
    } else if (one.kind === "pass") {
      nowMs += one.ms;
      runOn(run.beat, database, { gateway: "only", nowMs });
    } else if (one.kind === "lapse") {
      const lapsedModels = models.filter(({ leaseUntilMs }) => leaseUntilMs <= nowMs);
      const leases = lapsedModels.map((model) => makeLease(model, -1));
      runOn(run.endExpiredLeases, database, { leases, nowMs, ...rules });
      for (const model of lapsedModels) {
        if (model.state === "in progress") recordFailure(model, "node_lost", true);
      }
    } else if (one.kind === "timeOut") {
      const lateModels = models.filter(({ deadlineMs }) => deadlineMs <= nowMs);
      runOn(run.timeOutJobs, database, { uuids: lateModels.map(({ uuid }) => uuid), nowMs });
      for (const model of lateModels) if (!hasEnded(model)) recordEnd(model, "deadline");
    } else if (one.kind === "recover") {
      const recoveredJobs = runOn(run.recoverJobs, database, {
        gateway: "only",
        nowMs,
        lifetimeMs,
      });
      for (const model of models) {
        if (model.state !== "in progress") continue;
        model.state = "received";
        model.attempts -= 1;
      }
      const waitingModels = models.filter(({ state }) =>
        ["received", "error(retrying)"].includes(state),
      );
      expect(recoveredJobs.map(({ uuid }) => uuid)).toEqual(waitingModels.map(({ uuid }) => uuid));
    } else if (one.kind === "expire") {
      runOn(run.expireJobs, database, { nowMs, endedMs: 0, keyedMs: 0 });
      for (const model of models) {
        const isOver = model.expiresMs <= nowMs && !model.isForgotten;
        if (model.state === "done" && isOver) model.state = "expired";
      }
    }
  }

  function getStep(model: Model, jobCommand: JobCommand): void {
    const { uuid } = model;
    if (jobCommand.kind === "lease") {
      tokens += 1;
      const token = `token-${tokens}`;
      const untilMs = nowMs + leaseMs;
      const snapshot = runOn(run.leaseJob, database, {
        uuid,
        token,
        node: "node",
        gateway: "only",
        nowMs,
        untilMs,
      });
      if (model.state !== "received" && model.state !== "error(retrying)") {
        expect(snapshot).toBeNull();
        return;
      }
      model.state = "in progress";
      model.attempts += 1;
      model.tokens.push(token);
      model.leaseUntilMs = untilMs;
      expect(snapshot).toMatchObject({ state: "in progress", attempts: model.attempts });
      return;
    }
    if (jobCommand.kind === "cancel") {
      const outcome = runOn(run.cancelJob, database, { accountId: "one", uuid, nowMs });
      if (hasEnded(model)) {
        expect(outcome).toBe(model.isForgotten ? null : "forgotten");
        model.isForgotten = true;
      } else {
        expect(outcome).toMatchObject({ uuid, state: "cancelled" });
        model.state = "cancelled";
      }
      return;
    }
    const lease = makeLease(model, jobCommand.stale ? -2 : -1);
    const { token } = lease;
    const isCurrentLease =
      model.state === "in progress" && !jobCommand.stale && model.tokens.length > 0;
    if (jobCommand.kind === "renew") {
      const untilMs = nowMs + leaseMs;
      expect(runOn(run.renewLease, database, { uuid, token, untilMs })).toBe(isCurrentLease);
      if (isCurrentLease) model.leaseUntilMs = untilMs;
    } else if (jobCommand.kind === "complete") {
      const expiresMs = nowMs + resultRetentionMs;
      const completion = { uuid, token, nowMs, expiresMs, result: "{}", fetched: [] };
      expect(runOn(run.completeJob, database, completion) !== null).toBe(isCurrentLease);
      if (!isCurrentLease) return;
      model.state = "done";
      model.expiresMs = expiresMs;
    } else if (jobCommand.kind === "returnJob") {
      const snapshots = runOn(run.giveBackJobs, database, { leases: [lease], nowMs });
      expect(snapshots.map(({ state }) => state)).toEqual(isCurrentLease ? ["received"] : []);
      if (!isCurrentLease) return;
      model.state = "received";
      model.attempts -= 1;
    } else {
      const code = jobCommand.died ? "thread_died" : "broken";
      const failure = { code, message: "", status: 500, retryable: jobCommand.retryable };
      const attemptEnd = runOn(run.failJob, database, { lease, failure, nowMs, ...rules });
      expect(attemptEnd !== null).toBe(isCurrentLease);
      if (!isCurrentLease) return;
      model.deaths += jobCommand.died ? 1 : 0;
      recordFailure(model, code, jobCommand.retryable);
      const isOver = attemptEnd?.notBeforeMs === null;
      expect(isOver).toBe(model.state === "error");
    }
  }

  let lastChange = runOn(run.lastChange, database, { accountId: "one" });
  for (const other of commands) {
    const previousStates = new Map(
      models.map(({ uuid, state, attempts }) => [uuid, { state, attempts }]),
    );
    step(other);
    const unfinishedCount =
      other.kind === "recover" ? models.filter((model) => !hasEnded(model)).length : 0;
    const changes = changesAfter(lastChange);
    const changedModels = models.filter((model) => {
      const { uuid, state, attempts } = model;
      const previousState = previousStates.get(uuid);
      return previousState?.state !== state || previousState?.attempts !== attempts;
    });
    const visibleModels = changedModels.filter(({ state }) => state !== "error(retrying)");
    expect(changes.map(({ uuid }) => uuid).sort()).toEqual(
      visibleModels.map(({ uuid }) => uuid).sort(),
    );
    expect(changes.map(({ id }) => id)).toEqual(
      changes.map((_, n) => lastChange + unfinishedCount + n + 1),
    );
    lastChange = runOn(run.lastChange, database, { accountId: "one" });
    expect(lastChange).toBe(changes.at(-1)?.id ?? lastChange);
    for (const model of models) {
      const row = runOn(run.findJob, database, { accountId: "one", uuid: model.uuid });
      if (model.isForgotten) {
        expect(row).toBeNull();
        continue;
      }
      const code = row?.failure ? JSON.parse(row.failure).code : null;
      expect([row?.state, row?.attempts, code]).toEqual([
        model.state,
        model.attempts,
        model.failure,
      ]);
      expect(row?.result !== null).toBe(model.state === "done");
      seen.add(model.failure ?? model.state);
    }
  }
}

const hasEnded = ({ state }: Model) =>
  state === "done" || state === "error" || state === "cancelled" || state === "expired";

const lease: Command = { kind: "lease", job: 0 };
const pass: Command = { kind: "pass", ms: 5_000 };
const fail = (retryable: boolean, died: boolean): Command => ({
  kind: "fail",
  job: 0,
  stale: false,
  retryable,
  died,
});

const everyEnd: Command[][] = [
  [{ kind: "cancel", job: 0 }],
  [lease, { kind: "complete", job: 0, stale: false }, pass, { kind: "expire" }],
  [lease, fail(false, false)],
  [lease, fail(false, true)],
  [lease, fail(true, true), { kind: "pass", ms: 400 }, lease, fail(true, true)],
  [pass, pass, { kind: "timeOut" }],
];

test("the job table makes exactly the transitions of the state machine, in any order of events", () => {
  const seen = new Set<string>();
  const table = openJobTable();
  table.database.syncCommits(false);
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 80 }), (commands) => {
      check(table.database, [{ kind: "insert" }, ...commands], seen);
    }),
    { numRuns: 300, examples: everyEnd.map((commands) => [commands]) },
  );
  table.remove();
  const states = ["received", "in progress", "error(retrying)", "done", "expired", "cancelled"];
  const ends = ["broken", "thread_died", "poison_job", "deadline"];
  expect([...seen]).toEqual(expect.arrayContaining([...states, ...ends]));
});
