import { expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { onlyRoute, type Route } from "../../platforms/upstream.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import type { OpenSession } from "../../upstream/requests/sessions.ts";
import { endMs, testSession } from "../answer.test-support.ts";
import { listAttempts, type RankedAttempts, rankAttempts } from "./attempts.ts";
import { tryInOrder } from "./try-in-order.ts";

const dayMs = 86_400_000;
const recentRoute: Route = { name: "recent", reachMs: 7 * dayMs, cost: 1 };
const allRoute: Route = { name: "all", reachMs: null, cost: 2 };
const slowRoute: Route = { name: "slow", reachMs: null, cost: 3 };

const session = (credentialId: string, overrides: Partial<OpenSession> = {}): OpenSession =>
  testSession("x", { credentialId, ...overrides });
const ownUser = session("own user");
const ownApp = session("own app", { access: "app" });
const lentApp = session("lent app", { access: "app", owner: "deployment" });

const displayScope = (owner: OpenSession["owner"]) => (owner === "account" ? "everything" : "ids");

function rank(
  sessions: readonly OpenSession[],
  { fromMs = null as number | null, toleranceMs = 0 } = {},
): RankedAttempts {
  const attempts = listAttempts(sessions, (access) =>
    access === "app" ? [recentRoute, allRoute, slowRoute] : [recentRoute],
  );
  return rankAttempts(attempts, { displayScope, fromMs, nowMs: endMs, toleranceMs });
}

const listNames = (ranks: RankedAttempts): string[][] =>
  ranks.map((attempts) =>
    attempts.map((attempt) => `${attempt.session.credentialId}/${attempt.route.name}`),
  );

test("attempts are ranked by what they can show, then by how much of the window they leave unread, then by cost", () => {
  expect(listNames(rank([ownUser, lentApp, ownApp]))).toEqual([
    ["own app/all", "own app/slow"],
    ["own user/recent", "own app/recent"],
    ["lent app/all", "lent app/slow"],
    ["lent app/recent"],
  ]);
  expect(listNames(rank([ownUser, ownApp], { fromMs: endMs - dayMs }))).toEqual([
    ["own user/recent", "own app/recent", "own app/all", "own app/slow"],
  ]);
});

test("a route that misses no more than the tolerance counts as complete", () => {
  const fromMs = endMs - 7 * dayMs - 60_000;
  expect(listNames(rank([ownApp], { fromMs }))).toEqual([
    ["own app/all", "own app/slow"],
    ["own app/recent"],
  ]);
  expect(listNames(rank([ownApp], { fromMs, toleranceMs: 60_000 }))).toEqual([
    ["own app/recent", "own app/all", "own app/slow"],
  ]);
});

const limitError = (seconds: number) => new UpstreamLimited("x.example", endMs + seconds * 1_000);
const refusal = new EarshotError("credential_refused", "refused");

function tryEach(answers: Record<string, string | Error>, sessions: readonly OpenSession[]) {
  const requestedNames: string[] = [];
  const waitingSessions = sessions.map((other) => ({
    ...other,
    patientSession: { ...other, credentialId: `${other.credentialId}, waiting` },
  }));
  const ranks = rankAttempts(
    listAttempts(waitingSessions, () => onlyRoute),
    { displayScope, fromMs: null, nowMs: endMs, toleranceMs: 0 },
  );
  const done = tryInOrder(ranks, async (_, first) => {
    const name = first.credentialId ?? "";
    requestedNames.push(name);
    const answer = answers[name] ?? "";
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { requested: requestedNames, done };
}

test("a method waits for the account's own rate-limited credential rather than use one that shows less", async () => {
  const { requested, done } = tryEach(
    { "own user": limitError(1), "own user, waiting": "full", "lent app": "ids" },
    [ownUser, lentApp],
  );
  expect(await done).toMatchObject({ answer: "full" });
  expect(requested).toEqual(["own user", "own user, waiting"]);
});

test("a method uses another credential that shows as much before it waits for any", async () => {
  const { requested, done } = tryEach(
    { "own user": limitError(1), "own app": "full", "lent app": "ids" },
    [ownUser, ownApp, lentApp],
  );
  expect(await done).toMatchObject({ answer: "full" });
  expect(requested).toEqual(["own user", "own app"]);
});

test("a method uses a credential that shows less if waiting does not help, and reports the reason", async () => {
  for (const error of [limitError(900), refusal]) {
    const { done } = tryEach(
      { "own user": error, "own user, waiting": limitError(900), "lent app": "ids" },
      [ownUser, lentApp],
    );
    const { answer, failedAttempts } = await done;
    expect(answer).toBe("ids");
    expect(failedAttempts[0]?.error).toBe(error);
  }
});

test("the retryable error is thrown if all attempts fail", async () => {
  const soonError = limitError(9);
  const { done } = tryEach(
    { "own user": refusal, "own app": soonError, "own app, waiting": soonError },
    [ownUser, ownApp],
  );
  await expect(done).rejects.toBe(soonError);
});
