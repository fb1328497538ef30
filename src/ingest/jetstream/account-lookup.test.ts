import { Headers } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ArchiveChange } from "../../archive/archive.ts";
import type { FetchedResponse, GuardedFetch } from "../../lib/guarded-fetch.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { type AccountLookup, type LookUpSettings, startAccountLookup } from "./account-lookup.ts";

const labeler = "did:plc:ar7c4by46qjdydhdevvrndac";
const makeDid = (n: number) => `did:plc:account${n}`;
const secondMs = 1_000;
const weekMs = 7 * 86_400_000;

type View = Record<string, unknown>;
type Request = { atMs: number; actors: string[]; headers: Readonly<Record<string, string>> };

let clock: ManualClock;
let accounts: string[];
let lookedUpMs: Map<string, number>;
let changes: ArchiveChange[];
let requests: Request[];
let views: Map<string, View>;
let refusals: (Error | [number, Record<string, string>])[];
let writeErrors: Error[];
let lookUp: AccountLookup;

const makeResponse = (status: number, headers: Record<string, string>, body: unknown) =>
  ({
    status,
    headers: new Headers(headers),
    body: new Uint8Array(),
    text: () => JSON.stringify(body),
    json: () => body,
  }) satisfies FetchedResponse;

const fetch: GuardedFetch = async (url, options) => {
  const actors = new URL(url).searchParams.getAll("actors");
  requests.push({ atMs: clock.elapsed(), actors, headers: options?.headers ?? {} });
  const refusal = refusals.shift();
  if (refusal instanceof Error) throw refusal;
  if (refusal !== undefined) return makeResponse(...refusal, {});
  if (actors.includes("did:plc:refused")) return makeResponse(400, {}, { error: "InvalidRequest" });
  return makeResponse(200, {}, { profiles: actors.flatMap((actor) => views.get(actor) ?? []) });
};

function start(settings: Partial<LookUpSettings> = {}): void {
  lookUp = startAccountLookup({
    archive: {
      accountsToLookUp: async (_platform, beforeMs, limit) =>
        accounts.filter((id) => (lookedUpMs.get(id) ?? -1) < beforeMs).slice(0, limit),
      write: async (batch) => {
        const error = writeErrors.shift();
        if (error !== undefined) throw error;
        changes.push(...batch.changes);
        for (const change of batch.changes) {
          if (change.kind === "looked-up") lookedUpMs.set(change.userId, change.atMs);
        }
        return { inserted: 0, updated: 0, unchanged: 0, deleted: 0, suppressed: 0 };
      },
    },
    fetch,
    clock,
    random: () => 0.5,
    log: { info: () => {}, warn: () => {} },
    settings: {
      appViewUrl: "https://appview.example",
      ageMs: weekMs,
      requestsPerSecond: 2,
      sources: [labeler],
      timeoutMs: 1_000,
      maxBytes: 1_000_000,
      minBackoffMs: 1_000,
      maxBackoffMs: 60_000,
      ...settings,
    },
  });
}

beforeEach(() => {
  clock = createManualClock();
  accounts = [];
  lookedUpMs = new Map();
  changes = [];
  requests = [];
  views = new Map();
  refusals = [];
  writeErrors = [];
});
afterEach(async () => {
  await lookUp.stop();
});

describe("a looked-up account", () => {
  test("a looked-up account gets its handle, its name, and the labels from itself and from trusted labelers", async () => {
    accounts = [makeDid(1)];
    const cts = "2021-01-01T00:00:00Z";
    const profile = `at://${makeDid(1)}/app.bsky.actor.profile/self`;
    views.set(makeDid(1), {
      did: makeDid(1),
      handle: "alice.example",
      displayName: "Alice",
      labels: [
        { src: makeDid(1), uri: profile, val: "!no-unauthenticated", cts },
        { src: makeDid(1), uri: profile, val: "gone", cts, neg: true },
        { src: labeler, uri: makeDid(1), val: "spam", cts },
        { src: "did:plc:anybody", uri: makeDid(1), val: "rude", cts },
        { src: labeler, uri: makeDid(2), val: "spam", cts },
        "label",
      ],
    });
    start();
    await clock.advance(0);
    const observedMs = clock.now();
    const account = { platform: "bluesky", userId: makeDid(1) };
    expect(changes).toEqual([
      { kind: "handle", ...account, observedMs, handle: "alice.example" },
      {
        kind: "label",
        platform: "bluesky",
        subject: makeDid(1),
        source: labeler,
        value: "spam",
        negated: false,
        createdMs: Date.UTC(2021, 0, 1),
        expiresMs: null,
      },
      { kind: "profile", ...account, observedMs, name: "Alice", labels: ["!no-unauthenticated"] },
      { kind: "looked-up", ...account, atMs: observedMs },
    ]);
    expect(requests[0]).toMatchObject({
      actors: [makeDid(1)],
      headers: { "atproto-accept-labelers": labeler },
    });
    expect(lookUp.state()).toMatchObject({ status: "connected", found: 1, missing: 0 });
  });

  test("an account is not looked up again before `ageMs`, whether it was found or not", async () => {
    accounts = [makeDid(1), makeDid(2)];
    views.set(makeDid(1), { did: makeDid(1), handle: "alice.example" });
    start();
    await clock.advance(weekMs - 10 * secondMs);
    expect(requests).toHaveLength(1);
    expect(lookUp.state()).toMatchObject({ found: 1, missing: 1 });
    await clock.advance(20 * secondMs);
    expect(requests).toHaveLength(2);
  });

  test("an account is looked up again within seconds when its handle may have changed", async () => {
    accounts = [makeDid(1)];
    views.set(makeDid(1), { did: makeDid(1), handle: "alice.example" });
    start();
    await clock.advance(10 * secondMs);
    views.set(makeDid(1), { did: makeDid(1), handle: "alice.test" });
    lookUp.enqueue(makeDid(1));
    await clock.advance(3 * secondMs);
    expect(requests).toHaveLength(2);
    expect(changes).toContainEqual(expect.objectContaining({ handle: "alice.test" }));
  });

  test.each([
    ["a handle that is not its own", { handle: "handle.invalid" }],
    ["an invalid handle", { handle: "<script>" }],
    ["nothing", {}],
  ])("a looked-up account preserves its handle when the response has %s", async (_what, view) => {
    accounts = [makeDid(1)];
    views.set(makeDid(1), { did: makeDid(1), ...view });
    start();
    await clock.advance(0);
    expect(changes.map(({ kind }) => kind)).toEqual(["profile", "looked-up"]);
  });

  test("only the looked-up account changes, regardless of what the response contains", async () => {
    accounts = [makeDid(1)];
    views.set(makeDid(1), { did: makeDid(2), handle: "mallory.example" });
    start();
    await clock.advance(0);
    expect(changes.map(({ kind }) => kind)).toEqual(["looked-up"]);
  });
});

describe("requests", () => {
  test("each lookup requests at most 25 accounts, and lookups keep to the permitted rate", async () => {
    accounts = Array.from({ length: 60 }, (_unused, n) => makeDid(n));
    start();
    await clock.advance(10 * secondMs);
    expect(requests.map(({ atMs, actors }) => [atMs, actors.length])).toEqual([
      [0, 25],
      [500, 25],
      [1_000, 10],
    ]);
    expect(lookedUpMs.size).toBe(60);
  });

  test("a lookup that is rejected because of one account is repeated without it", async () => {
    accounts = Array.from({ length: 8 }, (_unused, n) => makeDid(n));
    accounts[5] = "did:plc:refused";
    for (const id of accounts) views.set(id, { did: id, handle: "a.example" });
    start();
    await clock.advance(10 * secondMs);
    expect(lookedUpMs.size).toBe(8);
    expect(lookUp.state()).toMatchObject({ found: 7, missing: 1, failures: 0 });
    expect(requests).toHaveLength(7);
  });

  test.each([
    ["retry-after", "30", 30_000],
    ["ratelimit-reset", String(1_700_000_000 + 40), 40_000],
    ["retry-after", "Tue, 14 Nov 2023 22:14:00 GMT", 40_000],
    ["retry-after", "999999999", 15 * 60_000],
    ["retry-after", "soon", 750],
  ])("lookups wait after a 429 with %s: %s", async (name, value, waitMs) => {
    accounts = [makeDid(1)];
    refusals = [[429, { [name]: value }]];
    start();
    await clock.advance(waitMs - 1);
    expect(requests).toHaveLength(1);
    expect(lookUp.state().detail).toContain("waiting for appview.example: HTTP 429, next try in");
    await clock.advance(2);
    expect(requests).toHaveLength(2);
    expect(lookUp.state()).toMatchObject({ status: "connected", failures: 1 });
  });

  test("lookups back off while they fail, and the accounts stay due", async () => {
    accounts = [makeDid(1)];
    refusals = [
      new Error("connection refused"),
      [500, {}],
      [503, {}],
      new Error("connection refused"),
    ];
    start();
    await clock.advance(60 * secondMs);
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 750, 2_250, 5_250, 11_250]);
    expect(lookedUpMs.size).toBe(1);
    expect(lookUp.state()).toMatchObject({ status: "connected", failures: 4 });
  });

  test("a lookup is repeated if the archive rejects its result", async () => {
    accounts = [makeDid(1)];
    writeErrors = [new Error("database or disk is full")];
    start();
    await clock.advance(0);
    expect(lookUp.state().detail).toContain("database or disk is full");
    await clock.advance(secondMs);
    expect(lookedUpMs.size).toBe(1);
  });
});
