import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLocalStore } from "../../db/local-store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import type { Store } from "../../db/operations.ts";
import { createEncryptor } from "../../lib/encryption.ts";
import { createGuard } from "../../lib/guard.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { type WebhookOperations, webhookOperations } from "./operations.ts";
import type { Message } from "./post.ts";
import { type AttemptOutcome, pausesMs } from "./schedule.ts";
import { createSender, type DeliveryOutcome, type Sender } from "./sender.ts";
import { webhookDefaults } from "./settings.ts";
import { jobEvents } from "./webhook.ts";
import { createWebhooks, type Webhooks } from "./webhooks.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const secretKey = randomBytes(32);

let folder: string;
let database: SqliteDatabase;
let store: Store<WebhookOperations>;
let clock: ManualClock;
let webhooks: Webhooks;
let sender: Sender;
let sentMessages: { url: string; id: string; signatures: string[]; atMs: number }[];
let outcomes: DeliveryOutcome[];
let logMessages: string[];
let errors: unknown[];
let respond: (message: Message) => AttemptOutcome | Promise<AttemptOutcome>;

const delivered: AttemptOutcome = { kind: "delivered", status: 200 };
const failed: AttemptOutcome = {
  kind: "failed",
  status: 500,
  error: "returned 500",
  retryAfterMs: null,
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
  database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  database.run("INSERT INTO account(id, created_ms) VALUES('one', 0)");
  clock = createManualClock();
  sentMessages = [];
  outcomes = [];
  logMessages = [];
  errors = [];
  respond = () => delivered;
  begin();
});

afterEach(async () => {
  const stopped = sender.stop();
  await clock.advance(10_000);
  await stopped;
  database.close();
  rmSync(folder, { recursive: true });
});

function begin(key: Uint8Array = secretKey, overrides: Partial<typeof webhookDefaults> = {}): void {
  store = createLocalStore(database, webhookOperations);
  const settings = { ...webhookDefaults, ...overrides };
  const encryptor = createEncryptor(key, randomBytes);
  const log = (_fields: unknown, message: string) => logMessages.push(message);
  sender = createSender({
    store: {
      read: (...call) => store.read(...call),
      write: (...call) => store.write(...call),
    } as Store<WebhookOperations>,
    clock,
    random: () => 0,
    settings,
    encryptor,
    post: async (message, signal) => {
      const { "webhook-id": id = "", "webhook-signature": signatures = "" } = message.fields;
      sentMessages.push({
        url: message.url,
        id,
        signatures: signatures.split(" "),
        atMs: clock.now(),
      });
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
      return await Promise.race([respond(message), aborted]);
    },
    log: { info: log, error: log },
    onError: (error) => errors.push(error),
    onOutcome: (outcome, deliveries) => {
      for (let count = 0; count < deliveries; count += 1) outcomes.push(outcome);
    },
  });
  webhooks = createWebhooks({
    store,
    clock,
    randomBytes,
    settings,
    encryptor,
    guard: createGuard([]),
    onDue: sender.wake,
  });
}

async function register(path: string): Promise<string> {
  const params = { url: `https://example.com${path}`, events: jobEvents };
  return (await webhooks.create("one", params)).webhook.id;
}

async function sendTest(id: string): Promise<string> {
  return (await webhooks.test("one", id))?.id ?? "";
}

const getPage = async (id: string) =>
  (await webhooks.deliveries("one", id, { states: null, before: null, limit: 100 }))?.deliveries ??
  [];

const sentTo = (path: string) =>
  sentMessages.filter(({ url }) => url === `https://example.com${path}`);

async function pass(ms: number, steps = 10): Promise<void> {
  for (let step = 0; step < steps; step += 1) await clock.advance(ms / steps);
}

describe("the attempts of deliveries", () => {
  test("a delivery's attempts follow the schedule, and the delivery fails after the tenth", async () => {
    respond = () => failed;
    sender.start();
    const id = await register("/down");
    const deliveryId = await sendTest(id);
    await clock.advance(1_000);
    for (const pauseMs of pausesMs) {
      const previousCount = sentMessages.length;
      clock.shiftWall(pauseMs - 1_001);
      await clock.advance(0);
      expect(sentMessages).toHaveLength(previousCount);
      await clock.advance(2_100);
      expect(sentMessages).toHaveLength(previousCount + 1);
    }
    expect(sentMessages).toHaveLength(10);
    clock.shiftWall(2 * dayMs);
    await clock.advance(2_000);
    expect(sentMessages).toHaveLength(10);
    expect(new Set(sentMessages.map((each) => each.id))).toEqual(new Set([deliveryId]));
    expect(await getPage(id)).toMatchObject([{ state: "failed", attempts: 10, nextMs: null }]);
    expect(outcomes).toEqual([...Array(9).fill("retried"), "failed"]);
    expect(await webhooks.find("one", id)).toMatchObject({ disabledMs: null });
  });

  test("a delivery and the others to its receiver wait as long as the receiver requests", async () => {
    respond = () => ({ ...failed, status: 429, retryAfterMs: 60_000 });
    sender.start();
    const id = await register("/busy");
    for (let count = 0; count < 5; count += 1) await sendTest(id);
    await clock.advance(30_000);
    expect(sentMessages).toHaveLength(2);
    respond = () => delivered;
    await clock.advance(29_000);
    expect(sentMessages).toHaveLength(2);
    await pass(3_000);
    expect(sentMessages).toHaveLength(7);
  });

  test("if two concurrent attempts are rejected, the longer delay applies", async () => {
    const pausesMs = [60_000, 1_000];
    respond = () => ({ ...failed, status: 429, retryAfterMs: pausesMs.shift() ?? 0 });
    sender.start();
    const id = await register("/busy");
    for (let count = 0; count < 5; count += 1) await sendTest(id);
    await clock.advance(50_000);
    expect(sentMessages).toHaveLength(2);
  });

  test("attempts are limited to two concurrent ones per webhook", async () => {
    const ends: (() => void)[] = [];
    respond = () => new Promise((resolve) => ends.push(() => resolve(delivered)));
    sender.start();
    const id = await register("/slow");
    for (let count = 0; count < 5; count += 1) await sendTest(id);
    await pass(5_000);
    expect(sentMessages).toHaveLength(2);
    ends.shift()?.();
    await pass(2_000);
    expect(sentMessages).toHaveLength(3);
    for (const end of ends) end();
    respond = () => delivered;
    await pass(2_000);
    expect(sentMessages).toHaveLength(5);
  });

  test("attempts to failing webhooks take at most half of the slots", async () => {
    begin(secretKey, { concurrency: 4, maxPerAccount: 10 });
    respond = () => failed;
    sender.start();
    const failingIds = await Promise.all(["/a", "/b", "/c"].map(register));
    for (const id of failingIds) await sendTest(id);
    await pass(2_000);
    respond = () => new Promise(() => undefined);
    for (const id of failingIds) {
      await sendTest(id);
      await sendTest(id);
    }
    await pass(5_000);
    const inProgress = sentMessages.length - failingIds.length;
    expect(inProgress).toBe(2);
    respond = () => delivered;
    await sendTest(await register("/healthy"));
    await pass(1_000);
    expect(sentTo("/healthy")).toHaveLength(1);
  });

  test.each([4, 1])(
    "failing webhooks get one of %i slots, however many deliveries of other webhooks are due",
    async (concurrency) => {
      begin(secretKey, { concurrency, maxPerAccount: 10 });
      respond = () => failed;
      sender.start();
      const recoveredId = await register("/recovered");
      await sendTest(recoveredId);
      await pass(1_000);
      const busyIds = await Promise.all(["/a", "/b", "/c"].map(register));
      for (const id of busyIds) for (let count = 0; count < 100; count += 1) await sendTest(id);
      respond = () => clock.sleep(1_000).then(() => delivered);
      await pass(15_000, 150);
      expect(sentTo("/recovered")).toHaveLength(2);
      expect(await webhooks.find("one", recoveredId)).toMatchObject({ failingSinceMs: null });
      expect(sentMessages.length).toBeLessThan(200);
    },
  );

  test("attempts are round-robin over webhooks, however many deliveries of one are due", async () => {
    begin(secretKey, { concurrency: 1 });
    const busyId = await register("/many");
    for (let count = 0; count < 5; count += 1) await sendTest(busyId);
    await clock.advance(1);
    await sendTest(await register("/one"));
    await clock.advance(1);
    sender.start();
    await pass(3_000);
    expect(sentMessages).toHaveLength(6);
    expect(sentMessages[1]?.url).toBe("https://example.com/one");
  });

  test("attempts start in the order in which deliveries became due", async () => {
    const id = await register("/ordered");
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      ids.push(await sendTest(id));
      await clock.advance(1);
    }
    sender.start();
    await pass(3_000);
    expect(sentMessages.map((each) => each.id)).toEqual(ids);
  });
});

describe("a crash", () => {
  test("an attempt that a crash interrupts is repeated", async () => {
    respond = () => new Promise(() => undefined);
    sender.start();
    const id = await register("/crash");
    const deliveryId = await sendTest(id);
    await clock.advance(1_000);
    const crashedSender = sender;
    respond = () => delivered;
    begin();
    sender.start();
    await pass(2_000);
    expect(sentMessages.map((each) => each.id)).toEqual([deliveryId, deliveryId]);
    expect(await getPage(id)).toMatchObject([{ state: "delivered", attempts: 1 }]);
    const stopped = crashedSender.stop();
    await clock.advance(3_000);
    await stopped;
  });

  test("if an attempt cannot be recorded, the recording is retried, and the delivery is not sent again", async () => {
    sender.start();
    const id = await register("/full");
    await clock.advance(1_000);
    const { write } = store;
    let refusals = 3;
    store.write = (async (...call: Parameters<typeof write>) => {
      if (call[0] === "recordAttempt" && refusals > 0) {
        refusals -= 1;
        throw new Error("the disk is full");
      }
      return await write(...call);
    }) as typeof write;
    await sendTest(id);
    await pass(12_000);
    expect(errors).toHaveLength(3);
    expect(await getPage(id)).toMatchObject([{ state: "waiting", attempts: 0 }]);
    await pass(10_000);
    expect(await getPage(id)).toMatchObject([{ state: "delivered", attempts: 1 }]);
    expect(sentMessages).toHaveLength(1);
  });
});

describe("stopping the sender", () => {
  test("stopping the sender lets a short attempt finish", async () => {
    let end: (outcome: AttemptOutcome) => void = () => undefined;
    respond = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    sender.start();
    const id = await register("/soon");
    await sendTest(id);
    await clock.advance(100);
    const stopped = sender.stop();
    await clock.advance(500);
    end(delivered);
    await stopped;
    expect(await getPage(id)).toMatchObject([{ state: "delivered" }]);
  });

  test("stopping the sender aborts a long attempt, whose delivery stays due, and starts no other attempt", async () => {
    respond = () => new Promise(() => undefined);
    sender.start();
    const id = await register("/late");
    for (let count = 0; count < 3; count += 1) await sendTest(id);
    await clock.advance(100);
    const stopped = sender.stop();
    await clock.advance(2_000);
    await stopped;
    expect(sentMessages).toHaveLength(2);
    expect(errors).toEqual([]);
    expect(await getPage(id)).toMatchObject(Array(3).fill({ state: "waiting", attempts: 0 }));
  });
});

describe("a webhook", () => {
  test("a webhook is disabled after five days without a success, and pending deliveries are sent when it is enabled again", async () => {
    respond = () => failed;
    sender.start();
    const id = await register("/dead");
    for (let day = 0; day < 5; day += 1) {
      await sendTest(id);
      for (let hour = 0; hour < 24; hour += 1) {
        clock.shiftWall(hourMs);
        await clock.advance(1_000);
      }
    }
    expect(await webhooks.find("one", id)).toMatchObject({ disabledMs: null });
    for (let hour = 0; hour < 24; hour += 1) {
      clock.shiftWall(hourMs);
      await clock.advance(1_000);
    }
    const webhook = await webhooks.find("one", id);
    expect(webhook?.disabledReason).toMatch(/^all deliveries have failed since 2023-11-/);
    const states = async () => (await getPage(id)).map(({ state }) => state);
    expect(await states()).toEqual(["waiting", "waiting", "failed", "failed", "failed"]);
    const attempts = sentMessages.length;
    clock.shiftWall(dayMs);
    await pass(3_000);
    expect(sentMessages).toHaveLength(attempts);
    expect(logMessages).toContain("disabled a webhook");
    await expect(webhooks.test("one", id)).rejects.toMatchObject({ code: "webhook_disabled" });
    respond = () => delivered;
    await webhooks.enable("one", id);
    await pass(3_000);
    expect(await states()).toEqual(["delivered", "delivered", "failed", "failed", "failed"]);
  });

  test("a webhook is not disabled if a delivery succeeded within the five days", async () => {
    sender.start();
    const id = await register("/shaky");
    for (let day = 0; day < 8; day += 1) {
      respond = () => (day === 4 ? delivered : failed);
      await sendTest(id);
      for (let hour = 0; hour < 24; hour += 1) {
        clock.shiftWall(hourMs);
        await clock.advance(1_000);
      }
    }
    expect(await webhooks.find("one", id)).toMatchObject({ disabledMs: null });
  });

  test("a webhook also signs with its former secret for a day", async () => {
    sender.start();
    const id = await register("/rotated");
    await webhooks.replaceSecret("one", id);
    await sendTest(id);
    await pass(1_000);
    clock.shiftWall(dayMs);
    await sendTest(id);
    await pass(61_000);
    expect(sentMessages.map(({ signatures }) => signatures.length)).toEqual([2, 1]);
    expect(database.get("SELECT former_sealed_secret AS former FROM webhook")).toEqual({
      former: null,
    });
  });

  test("a delivery whose webhook secret cannot be decrypted reports the error, and is sent once the secret is replaced", async () => {
    const id = await register("/sealed");
    begin(randomBytes(32));
    sender.start();
    await sendTest(id);
    await clock.advance(1_000);
    expect(sentMessages).toEqual([]);
    expect(logMessages).toContain("cannot decrypt the webhook secrets");
    const [waitingDelivery] = await getPage(id);
    expect(waitingDelivery?.lastError).toContain("replace the secret");
    await webhooks.replaceSecret("one", id);
    await pass(6_000);
    expect(sentMessages).toMatchObject([{ signatures: [expect.stringMatching(/^v1,/)] }]);
  });
});

describe("retention", () => {
  test("retention deletes old deliveries, and counts the unfinished ones among them as dropped", async () => {
    sender.start();
    const id = await register("/old");
    await sendTest(id);
    await clock.advance(1_000);
    respond = () => ({ ...failed, retryAfterMs: dayMs });
    await sendTest(id);
    await clock.advance(1_000);
    clock.shiftWall(webhookDefaults.retentionMs - 65_000);
    await clock.advance(59_000);
    expect(await getPage(id)).toHaveLength(2);
    await clock.advance(60_000);
    expect(await getPage(id)).toEqual([]);
    expect(await webhooks.find("one", id)).toMatchObject({ dropped: 1 });
    expect(outcomes.filter((outcome) => outcome === "dropped")).toHaveLength(1);
  });

  test("retention deletes the oldest deliveries of a webhook that has too many", async () => {
    begin(secretKey, { maxDeliveries: 700 });
    const [many, few] = [await register("/many"), await register("/few")];
    await Promise.all(Array.from({ length: 1_500 }, () => sendTest(many)));
    const newest = await sendTest(many);
    await sendTest(few);
    respond = () => new Promise(() => undefined);
    sender.start();
    await pass(1_000);
    const counts = database.all(
      "SELECT webhook_id AS id, count(*) AS stored, max(number) AS newest FROM webhook_delivery GROUP BY 1 ORDER BY 2",
    );
    expect(counts).toEqual([
      { id: few, stored: 1, newest: 1 },
      { id: many, stored: 700, newest: 1_501 },
    ]);
    expect((await getPage(many))[0]?.id).toBe(newest);
    expect(await webhooks.find("one", many)).toMatchObject({ dropped: 801 });
  });
});

test("a replay requested during a delivery's attempt is not lost", async () => {
  let end: (outcome: AttemptOutcome) => void = () => undefined;
  respond = () =>
    new Promise((resolve) => {
      end = resolve;
    });
  sender.start();
  const id = await register("/replayed");
  const deliveryId = await sendTest(id);
  await clock.advance(1_000);
  await webhooks.replay("one", id, deliveryId);
  respond = () => delivered;
  end(failed);
  await pass(2_000);
  expect(sentMessages.map((each) => each.id)).toEqual([deliveryId, deliveryId]);
  expect(await getPage(id)).toMatchObject([{ state: "delivered", attempts: 1 }]);
});
