import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AccountHost,
  type HostedAccount,
  postPath,
  refuse,
  startAccountHost,
  writeJson,
} from "../../../testkit/upstreams/account-host.ts";
import type { Archive, ArchiveChange } from "../../archive/archive.ts";
import { openArchive } from "../../archive/threads/open.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch, type GuardedClient } from "../../lib/guarded-fetch.ts";
import { readCommitPost } from "../../platforms/bluesky/post.ts";
import { type BackfillRequest, backfillAuthor } from "./backfill-author.ts";
import { createPoliteFetch } from "./polite-fetch.ts";

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const labeler = "did:plc:labelerlabelerlabelerla";
const makeUri = (rkey: string) => `at://${did}/app.bsky.feed.post/${rkey}`;
const tid = (n: number): string => {
  const digits = "234567abcdefghijklmnopqrstuvwxyz";
  let bits = BigInt(Date.UTC(2026, 0, 1) + n) * 1000n * 1024n;
  let text = "";
  for (let position = 0; position < 13; position += 1) {
    text = digits[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
};
const record = (text: string, n = 0) => ({
  $type: "app.bsky.feed.post",
  text,
  langs: ["en"],
  createdAt: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
});

let dataDir: string;
let archive: Archive;
let host: AccountHost;
let fetch: GuardedClient;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-backfill-"));
  archive = await openArchive({ dataDir, readers: 1, segmentPosts: 1_000, clock: systemClock });
  host = await startAccountHost();
  const guard = createGuard([host.url]);
  const limits = { timeoutMs: 5_000, maxBytes: 1_000_000, maxRedirects: 3 };
  fetch = createGuardedFetch({ guard, userAgent: "earshot-test/1", ...limits });
});

afterEach(async () => {
  await fetch.close();
  await host.close();
  await archive.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function addAccount(posts: Record<string, unknown> = {}, overrides: Partial<HostedAccount> = {}) {
  const records = new Map(Object.entries(posts).map(([rkey, post]) => [postPath(rkey), post]));
  const defaults = {
    did,
    handle: "ann.example",
    rev: tid(900),
    status: "active",
    pds: null,
  } as const;
  const account: HostedAccount = { ...defaults, records, ...overrides };
  host.accounts.set(did, account);
  return account;
}

const fastClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 1), signal),
};

function request(overrides: Partial<BackfillRequest> = {}): BackfillRequest {
  const polite = createPoliteFetch({
    fetch,
    clock: fastClock,
    random: () => 0,
    requestsPerSecond: 1_000,
  });
  return {
    archive,
    clock: systemClock,
    directory: {
      fetch: polite,
      resolveTxt: async () => [],
      appviewUrl: host.url,
      plcUrl: host.url,
    },
    limits: { maxRepositoryBytes: 1_000_000, maxPosts: 10_000, repositoryTimeoutMs: 5_000 },
    labeler: null,
    ignoresProgress: false,
    ...overrides,
  };
}

const streamed = (rkey: string, text: string, rev: string): ArchiveChange => ({
  kind: "upsert",
  post: readCommitPost({
    did,
    collection: "app.bsky.feed.post",
    rkey,
    rev,
    record: record(text),
    seenMs: Date.UTC(2026, 0, 1),
  }),
});

async function visiblePosts(): Promise<{ Content: string; Metadata: Record<string, unknown> }[]> {
  const { positions } = await archive.search({
    plan: { kind: "all" },
    platforms: ["bluesky"],
    fromMs: null,
    toMs: null,
    after: null,
    limit: 500,
    deadlineMs: Number.POSITIVE_INFINITY,
  });
  return (await archive.records(positions)).records.map((text) => JSON.parse(text));
}

const texts = async () => (await visiblePosts()).map(({ Content }) => Content).sort();

describe("the backfill of an account", () => {
  test("the backfill of an account keeps its name if the server does not return the profile", async () => {
    const account = addAccount({ [tid(1)]: record("post", 1) });
    account.records.set("app.bsky.actor.profile/self", {
      $type: "app.bsky.actor.profile",
      displayName: "Ann",
    });
    await backfillAuthor("ann.example", request());
    host.intercept = (method, _, response) => {
      if (method !== "com.atproto.repo.getRecord") return false;
      refuse(response, "Forbidden", 403);
      return true;
    };
    account.rev = tid(901);
    const limits = { ...request().limits, maxRepositoryBytes: 1 };
    const summary = await backfillAuthor("ann.example", request({ limits }));
    expect(summary.by).toBe("listing");
    expect((await visiblePosts())[0]).toMatchObject({ Metadata: { author: "Ann" } });
  });

  test("the backfill of an account stores posts, handle and name, and claims coverage", async () => {
    const posts = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [tid(n), record(`post ${n}`, n)]),
    );
    const account = addAccount(posts);
    account.records.set("app.bsky.actor.profile/self", {
      $type: "app.bsky.actor.profile",
      displayName: "Ann",
    });
    account.records.set("app.bsky.feed.like/3kaaaaaaaaaaa", { $type: "app.bsky.feed.like" });
    const beforeMs = Date.now();
    const summary = await backfillAuthor("ann.example", request());
    expect(summary).toMatchObject({
      did,
      handle: "ann.example",
      outcome: "complete",
      by: "repository",
      posts: 30,
      inserted: 30,
      badRecords: 0,
    });
    const [newest] = await visiblePosts();
    expect(newest).toMatchObject({
      Content: "post 29",
      Metadata: {
        uri: makeUri(tid(29)),
        username: "ann.example",
        author: "Ann",
        origin: "backfill",
      },
    });
    const [platformCoverage] = await archive.coverage();
    expect(platformCoverage?.intervals).toEqual([
      expect.objectContaining({ collection: "posts", account: did, source: "backfill", fromMs: 0 }),
    ]);
    expect(platformCoverage?.intervals[0]?.toMs).toBeGreaterThanOrEqual(beforeMs);
  });

  test("the backfill finds an account by DID, and accepts its handle only if the handle resolves to that DID", async () => {
    addAccount({ [tid(1)]: record("one") });
    expect(await backfillAuthor(did, request())).toMatchObject({ handle: "ann.example", posts: 1 });
    host.intercept = (method, _request, response) => {
      if (method !== "com.atproto.identity.resolveHandle") return false;
      writeJson(response, { did: "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb" });
      return true;
    };
    const repeated = await backfillAuthor(did, request({ ignoresProgress: true }));
    expect(repeated.handle).toBeNull();
  });

  test("the backfill finds an account by DNS if the AppView does not know the handle", async () => {
    addAccount({ [tid(1)]: record("one") });
    host.intercept = (method, _request, response) => {
      if (method !== "com.atproto.identity.resolveHandle") return false;
      refuse(response, "InvalidRequest");
      return true;
    };
    const defaults = request();
    const requestedNames: string[] = [];
    const resolveTxt = async (name: string) => {
      requestedNames.push(name);
      return [["did=", did]];
    };
    const directory = { ...defaults.directory, resolveTxt };
    const summary = await backfillAuthor("ann.example", request({ directory }));
    expect(summary).toMatchObject({ did, posts: 1 });
    expect(requestedNames).toEqual(["_atproto.ann.example"]);
  });

  test("the backfill of an account rejects a handle that the account does not claim", async () => {
    addAccount({}, { handle: "other.example" });
    host.intercept = (method, _request, response) => {
      if (method !== "com.atproto.identity.resolveHandle") return false;
      writeJson(response, { did });
      return true;
    };
    const backfill = backfillAuthor("ann.example", request());
    await expect(backfill).rejects.toMatchObject({ code: "account_unknown" });
  });

  test("the backfill of an account on a server with a private address is rejected", async () => {
    addAccount({ [tid(1)]: record("one") }, { pds: "http://127.0.0.1:1" });
    await expect(backfillAuthor(did, request())).rejects.toMatchObject({ code: "address_refused" });
    expect(await texts()).toEqual([]);
  });

  test("the backfill counts records that are not posts, and continues", async () => {
    addAccount({ [tid(1)]: record("one"), [tid(2)]: ["no post"], [tid(3)]: "no post either" });
    const summary = await backfillAuthor(did, request());
    expect(summary).toMatchObject({ outcome: "complete", posts: 1, badRecords: 2 });
  });
});

describe("newer data in the archive", () => {
  test("a backfill preserves a later edit from the stream", async () => {
    const account = addAccount({ [tid(1)]: record("original") });
    await archive.write({ changes: [streamed(tid(1), "edited", tid(950))] });
    expect(await backfillAuthor(did, request())).toMatchObject({ updated: 0, unchanged: 1 });
    expect(await texts()).toEqual(["edited"]);
    account.rev = tid(960);
    await backfillAuthor(did, request());
    expect(await texts()).toEqual(["original"]);
  });

  test.each(["repository", "listing"] as const)(
    "a backfill by %s does not restore a post that was deleted later",
    async (by) => {
      addAccount({ [tid(1)]: record("deleted since"), [tid(2)]: record("here") });
      const uri = makeUri(tid(1));
      const deleted = { kind: "delete", platform: "bluesky", uri, revision: tid(950) } as const;
      await archive.write({ changes: [streamed(tid(1), "first", tid(2)), deleted] });
      const limits = {
        ...request().limits,
        maxRepositoryBytes: by === "listing" ? 100 : 1_000_000,
      };
      const summary = await backfillAuthor(did, request({ limits }));
      expect(summary).toMatchObject({ by, suppressed: 1, inserted: 1 });
      expect(await texts()).toEqual(["here"]);
    },
  );

  test.each(["repository", "listing"] as const)(
    "a backfill by %s deletes posts that no longer exist, except those newer than the backfill",
    async (by) => {
      addAccount({ [tid(1)]: record("here") });
      await archive.write({
        changes: [
          streamed(tid(1), "here", tid(1)),
          streamed(tid(2), "deletion missed", tid(2)),
          streamed(tid(951), "newer", tid(951)),
        ],
      });
      const limits = {
        ...request().limits,
        maxRepositoryBytes: by === "listing" ? 100 : 1_000_000,
      };
      const summary = await backfillAuthor(did, request({ limits }));
      expect(summary).toMatchObject({ by, deleted: 1, checkedForDeletions: true });
      expect(await texts()).toEqual(["here", "newer"]);
    },
  );

  test("imported, streamed and backfilled copies of a post share one ID", async () => {
    addAccount({ [tid(1)]: record("one post") });
    const change = streamed(tid(1), "one post", tid(1));
    if (change.kind !== "upsert") throw new Error("no post");
    const ids: unknown[] = [];
    const noteIds = async () =>
      ids.push((await visiblePosts()).map((post) => (post as { ID?: unknown }).ID));
    const imported = { ...change.post, origin: "import", revision: "" } as const;
    await archive.write({ changes: [{ kind: "upsert", post: imported }] });
    await noteIds();
    await archive.write({ changes: [change] });
    await noteIds();
    await backfillAuthor(did, request());
    await noteIds();
    expect(ids[0]).toHaveLength(1);
    expect(ids).toEqual([ids[0], ids[0], ids[0]]);
  });

  test("a backfill does not change posts of other accounts", async () => {
    addAccount({});
    const other = "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb";
    const change = streamed(tid(1), "of another", tid(1));
    if (change.kind !== "upsert") throw new Error("no post");
    const uri = `at://${other}/app.bsky.feed.post/${tid(1)}`;
    await archive.write({
      changes: [{ kind: "upsert", post: { ...change.post, uri, userId: other } }],
    });
    await backfillAuthor(did, request());
    expect(await texts()).toEqual(["of another"]);
  });
});

describe("an inactive account", () => {
  test.each(["takendown", "deactivated", "suspended"] as const)(
    "the backfill of an account that is %s hides its posts and claims no coverage",
    async (status) => {
      addAccount({ [tid(1)]: record("one") }, { status });
      await archive.write({ changes: [streamed(tid(1), "one", tid(1))] });
      const summary = await backfillAuthor(did, request());
      expect(summary).toMatchObject({ outcome: "inactive", status, posts: 0 });
      expect(await texts()).toEqual([]);
      expect((await archive.coverage()).flatMap(({ intervals }) => intervals)).toEqual([]);
    },
  );

  test("the backfill of a reactivated account shows its posts again", async () => {
    const account = addAccount({ [tid(1)]: record("one") }, { status: "deactivated" });
    await archive.write({ changes: [streamed(tid(1), "one", tid(1))] });
    await backfillAuthor(did, request());
    account.status = "active";
    await backfillAuthor(did, request());
    expect(await texts()).toEqual(["one"]);
  });

  test("the backfill of a permanently deleted account deletes its posts", async () => {
    await archive.write({ changes: [streamed(tid(1), "one", tid(1))] });
    host.intercept = (method, _request, response) => {
      if (!method.startsWith("/did:")) return false;
      refuse(response, "Gone", 410);
      return true;
    };
    const summary = await backfillAuthor(did, request());
    expect(summary).toMatchObject({ outcome: "inactive", status: "deleted" });
    expect(await texts()).toEqual([]);
  });
});

describe("a second run", () => {
  test("a second backfill does not download an unchanged repository, unless forced", async () => {
    addAccount({ [tid(1)]: record("one") });
    await backfillAuthor(did, request());
    host.requests.length = 0;
    expect(await backfillAuthor(did, request())).toMatchObject({ outcome: "unchanged", posts: 0 });
    expect(host.requests.filter((requested) => requested.includes("getRepo "))).toEqual([]);
    expect(await backfillAuthor(did, request({ ignoresProgress: true }))).toMatchObject({
      posts: 1,
    });
  });

  test("a second backfill resumes an interrupted listing", async () => {
    const posts = Object.fromEntries(
      Array.from({ length: 250 }, (_, n) => [tid(n), record(`post ${n}`, n)]),
    );
    addAccount(posts);
    let pages = 0;
    host.intercept = (method, _request, response) => {
      if (method !== "com.atproto.repo.listRecords") return false;
      pages += 1;
      if (pages < 3) return false;
      refuse(response, "Gone", 404);
      return true;
    };
    const limits = { ...request().limits, maxRepositoryBytes: 100 };
    await expect(backfillAuthor(did, request({ limits }))).rejects.toMatchObject({
      code: "upstream_refused",
    });
    expect(await texts()).toHaveLength(200);
    host.intercept = () => false;
    const summary = await backfillAuthor(did, request({ limits }));
    expect(summary).toMatchObject({
      resumed: true,
      by: "listing",
      posts: 50,
      checkedForDeletions: false,
    });
    expect(await texts()).toHaveLength(250);
  });
});

describe("an unreadable repository", () => {
  const corruptions: Record<string, (host: AccountHost) => void> = {
    "with a missing node": (brokenHost) => {
      brokenHost.alterBlocks = ([commit, , ...rest]) =>
        commit === undefined ? [] : [commit, ...rest];
    },
    "whose commit belongs to another account": (brokenHost) => {
      const account = brokenHost.accounts.get(did);
      if (account === undefined) throw new Error("no account");
      brokenHost.intercept = (method) => {
        account.did = method.endsWith("getRepo") ? "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb" : did;
        return false;
      };
    },
    "that is not an archive": (brokenHost) => {
      brokenHost.intercept = (method, _request, response) => {
        if (!method.endsWith("sync.getRepo")) return false;
        response.end("<html>");
        return true;
      };
    },
  };

  test.each(Object.keys(corruptions))(
    "the posts of a repository %s are listed instead",
    async (name) => {
      const posts = Array.from({ length: 12 }, (_, n) => [tid(n), record(`post ${n}`, n)]);
      addAccount(Object.fromEntries(posts));
      corruptions[name]?.(host);
      expect(await backfillAuthor(did, request())).toMatchObject({ by: "listing", posts: 12 });
    },
  );

  test("a backfill counts a record whose block does not match its hash, and preserves its archived post", async () => {
    addAccount({ [tid(1)]: record("forged"), [tid(2)]: record("fine") });
    await archive.write({ changes: [streamed(tid(1), "archived", tid(1))] });
    host.alterBlocks = (blocks) =>
      blocks.map((block) =>
        Buffer.from(block.data).includes("forged")
          ? {
              ...block,
              data: Buffer.from(
                String(Buffer.from(block.data).toString("latin1")).replace("forged", "FORGED"),
                "latin1",
              ),
            }
          : block,
      );
    expect(await backfillAuthor(did, request())).toMatchObject({ posts: 1, badRecords: 1 });
    expect(await texts()).toEqual(["archived", "fine"]);
  });
});

describe("labels", () => {
  const label = (uri: string, val: string, overrides: object = {}) => ({
    ver: 1,
    src: labeler,
    uri,
    val,
    cts: "2026-01-02T00:00:00.000Z",
    ...overrides,
  });

  test.each([true, false])(
    "the labels of an account's posts are read from a labeler (supports patterns: %s)",
    async (hasWildcards) => {
      addAccount({ [tid(1)]: record("labelled"), [tid(2)]: record("hidden") });
      host.hasWildcards = hasWildcards;
      host.labels.push(
        label(makeUri(tid(1)), "porn"),
        label(makeUri(tid(2)), "!hide"),
        label(makeUri(tid(1)), "rude", { src: "did:plc:cccccccccccccccccccccccc" }),
      );
      const trustedLabeler = { url: host.url, sources: [labeler] };
      expect(await backfillAuthor(did, request({ labeler: trustedLabeler }))).toMatchObject({
        labels: 2,
      });
      expect(await visiblePosts()).toEqual([
        expect.objectContaining({
          Content: "labelled",
          Metadata: expect.objectContaining({ labels: ["porn"] }),
        }),
      ]);
    },
  );
});

describe("a failing host", () => {
  test("a backfill retries requests to a failing host", async () => {
    addAccount({ [tid(1)]: record("one") });
    let failures = 0;
    host.intercept = (method, _request, response) => {
      if (!method.endsWith("sync.getRepo") || failures > 0) return false;
      failures += 1;
      writeJson(response, {}, 503);
      return true;
    };
    expect(await backfillAuthor(did, request())).toMatchObject({ posts: 1, by: "repository" });
  });

  test("a backfill reports an unreachable host as a retryable error", async () => {
    addAccount({ [tid(1)]: record("one") });
    host.intercept = (method, request) => {
      if (!method.endsWith("getRepoStatus")) return false;
      request.socket.destroy();
      return true;
    };
    await expect(backfillAuthor(did, request())).rejects.toMatchObject({
      code: "upstream_unreachable",
      retryable: true,
    });
  });
});
