import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import type { Dialogue } from "../../platforms/credential.ts";
import { type Authorizations, createAuthorizations } from "./authorizations.ts";

const minuteMs = 60_000;

let clock: ManualClock;
let authorizations: Authorizations<string>;
beforeEach(() => {
  clock = createManualClock();
  authorizations = createAuthorizations({
    clock,
    randomBytes,
    settings: {
      authorizationMs: 10 * minuteMs,
      maxAuthorizationsPerAccount: 3,
      maxAuthorizations: 5,
    },
  });
});

async function promptOnce(dialogue: Dialogue): Promise<string> {
  dialogue.show("Open https://x.example/\u001b[31m\n");
  return `made of ${await dialogue.prompt("The address: ")}`;
}

async function question(accountId: string, run = promptOnce) {
  const step = await authorizations.begin(accountId, run);
  if (step.state !== "question") throw new Error("no question");
  return step;
}

const endedError = { code: "authorization_not_found", status: 404 };

test("an authorization dialogue continues from answer to answer until it is complete", async () => {
  const answer = await question("ann", async (dialogue) => {
    const first = await promptOnce(dialogue);
    dialogue.show("once more");
    return `${first}, ${await dialogue.prompt("And now")}`;
  });
  expect(answer).toMatchObject({ texts: ["Open https://x.example/[31m"], question: "The address" });
  const { id } = answer;
  const next = await authorizations.answer("ann", id, " one \n");
  expect(next).toEqual({ state: "question", id, texts: ["once more"], question: "And now" });
  const done = await authorizations.answer("ann", id, "two");
  expect(done).toEqual({ state: "done", made: "made of one, two" });
  await expect(authorizations.answer("ann", id, "three")).rejects.toMatchObject(endedError);
});

test("an authorization dialogue without questions completes immediately", async () => {
  const step = await authorizations.begin("ann", async () => "all there");
  expect(step).toEqual({ state: "done", made: "all there" });
});

test("an account cannot answer another account's authorization dialogue", async () => {
  const { id } = await question("ann");
  await expect(authorizations.answer("ben", id, "x")).rejects.toMatchObject(endedError);
  expect(await authorizations.answer("ann", id, "y")).toMatchObject({ made: "made of y" });
});

test("a concurrent duplicate answer to a dialogue gets the same outcome", async () => {
  const { id } = await question("ann");
  const duplicates = [authorizations.answer("ann", id, "x"), authorizations.answer("ann", id, "x")];
  expect(await Promise.all(duplicates)).toEqual(
    Array(2).fill({ state: "done", made: "made of x" }),
  );
});

test("an error ends the authorization dialogue and is returned to the caller", async () => {
  const run = async (dialogue: Dialogue) => {
    throw new Error(`no ${await dialogue.prompt("What")}`);
  };
  const { id } = await question("ann", run);
  await expect(authorizations.answer("ann", id, "way")).rejects.toThrow("no way");
  await expect(authorizations.answer("ann", id, "way")).rejects.toMatchObject(endedError);
  await expect(authorizations.begin("ann", async () => Promise.reject("odd"))).rejects.toBe("odd");
});

test("an unanswered authorization dialogue expires after ten minutes", async () => {
  const { id } = await question("ann");
  await clock.advance(10 * minuteMs - 1);
  const otherDialogue = await question("ann");
  await clock.advance(1);
  await expect(authorizations.answer("ann", id, "x")).rejects.toMatchObject(endedError);
  expect(await authorizations.answer("ann", otherDialogue.id, "x")).toMatchObject({
    state: "done",
  });
});

test("an account's fourth authorization dialogue ends its oldest one, but no other account's dialogue", async () => {
  const otherDialogue = await question("ben");
  const firstDialogue = await question("ann");
  const laterDialogues = [await question("ann"), await question("ann"), await question("ann")];
  await expect(authorizations.answer("ann", firstDialogue.id, "x")).rejects.toMatchObject(
    endedError,
  );
  for (const { id } of laterDialogues) {
    expect(await authorizations.answer("ann", id, "x")).toMatchObject({ state: "done" });
  }
  expect(await authorizations.answer("ben", otherDialogue.id, "x")).toMatchObject({
    state: "done",
  });
});

test("authorization dialogues above the total limit are refused until one has ended", async () => {
  for (const accountId of ["a", "b", "c", "d"]) await question(accountId);
  const lastDialogue = await question("e");
  const refusedError = { code: "too_many_attempts", status: 429, retryable: true };
  await expect(authorizations.begin("f", promptOnce)).rejects.toMatchObject(refusedError);
  await authorizations.answer("e", lastDialogue.id, "x");
  expect(await question("f")).toMatchObject({ state: "question" });
});

test("an account's fourth authorization dialogue is refused while the other three are running", async () => {
  const work = Promise.withResolvers<string>();
  const begun = ["a", "b", "c"].map(() => authorizations.begin("ann", () => work.promise));
  const refusedError = { code: "too_many_attempts" };
  await expect(authorizations.begin("ann", promptOnce)).rejects.toMatchObject(refusedError);
  work.resolve("made");
  expect(await Promise.all(begun)).toHaveLength(3);
  expect(await question("ann")).toMatchObject({ state: "question" });
});

test("stopping ends waiting authorization dialogues and lets running ones finish", async () => {
  const { id } = await question("ann");
  const work = Promise.withResolvers<string>();
  const runningDialogue = authorizations.begin("ben", () => work.promise);
  const lateDialogue = authorizations.begin("eve", async (dialogue) => {
    await work.promise;
    return await dialogue.prompt("Too late");
  });
  const stopped = authorizations.stop();
  work.resolve("made");
  await stopped;
  expect(await runningDialogue).toMatchObject({ made: "made" });
  await expect(lateDialogue).rejects.toMatchObject(endedError);
  await expect(authorizations.answer("ann", id, "x")).rejects.toMatchObject(endedError);
});
