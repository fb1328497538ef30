import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AccountHost,
  postPath,
  startAccountHost,
} from "../../../testkit/upstreams/account-host.ts";
import type { WriteBatch } from "../../archive/archive.ts";
import { systemClock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch, type GuardedClient } from "../../lib/guarded-fetch.ts";
import { type AuthorsRequest, backfillAuthors } from "./backfill-authors.ts";
import { createPoliteFetch } from "./polite-fetch.ts";

const dids = ["a", "b", "c", "d"].map((letter) => `did:plc:${letter.repeat(24)}`);
let host: AccountHost;
let fetch: GuardedClient;

beforeEach(async () => {
  host = await startAccountHost();
  const limits = { timeoutMs: 5_000, maxBytes: 1_000_000, maxRedirects: 3 };
  fetch = createGuardedFetch({
    guard: createGuard([host.url]),
    userAgent: "earshot-test/1",
    ...limits,
  });
  for (const [index, did] of dids.entries()) {
    const record = { $type: "app.bsky.feed.post", text: "one", createdAt: "2026-01-01T00:00:00Z" };
    const records = new Map([[postPath(`3k${index}`), record]]);
    const accountFields = { handle: `person${index}.example`, rev: "3kaaaaaaaaaaa", pds: null };
    host.accounts.set(did, { did, records, status: "active", ...accountFields });
  }
});

afterEach(async () => {
  await fetch.close();
  await host.close();
});

const emptyReport = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, suppressed: 0 };

function request(
  write: (batch: WriteBatch) => void,
  overrides: Partial<AuthorsRequest> = {},
  signal = new AbortController().signal,
): AuthorsRequest {
  const defaults = { clock: systemClock, random: () => 0, requestsPerSecond: 1_000 };
  return {
    archive: {
      write: async (batch) => {
        write(batch);
        return emptyReport;
      },
      readCheckpoint: async () => null,
      search: async () => {
        throw new EarshotError("archive_unavailable", "not requested");
      },
      records: async () => ({ records: [], damage: [] }),
    },
    clock: systemClock,
    directory: {
      fetch: createPoliteFetch({ fetch, signal, ...defaults }),
      resolveTxt: async () => [],
      appviewUrl: host.url,
      plcUrl: host.url,
    },
    limits: { maxRepositoryBytes: 1_000_000, maxPosts: 1_000, repositoryTimeoutMs: 5_000 },
    labeler: null,
    ignoresProgress: false,
    authors: dids,
    accountsAtOnce: 2,
    ...overrides,
  };
}

const posts = (batch: WriteBatch) => batch.changes.filter(({ kind }) => kind === "upsert").length;

describe("several accounts", () => {
  test("a backfill of several accounts continues after one of them fails", async () => {
    const [, second] = dids;
    const account = host.accounts.get(second ?? "");
    if (account !== undefined) account.pds = "http://10.0.0.1";
    const found = { positions: [], next: null, complete: true, coverage: [] };
    const reported: string[] = [];
    const authorsRequest = request(() => {}, {
      onAuthor: (result) => reported.push(result.author),
    });
    const archive = { ...authorsRequest.archive, search: async () => found as never };
    const results = await backfillAuthors({ ...authorsRequest, archive });
    const outcomes = results.map((result) =>
      "error" in result ? result.error.code : result.summary.outcome,
    );
    expect(outcomes.toSorted()).toEqual(["address_refused", "complete", "complete", "complete"]);
    expect(reported.toSorted()).toEqual(dids);
  });

  test("all backfills stop when the archive fails", async () => {
    let writtenPosts = 0;
    const diskFullError = new EarshotError("archive_unavailable", "the disk is full", {
      retryable: true,
    });
    const running = backfillAuthors(
      request((batch) => {
        writtenPosts += posts(batch);
        if (posts(batch) > 0) throw diskFullError;
      }),
    );
    await expect(running).rejects.toBe(diskFullError);
    expect(writtenPosts).toBeLessThan(dids.length);
  });

  test("all backfills stop when aborted, with the signal's reason", async () => {
    const stop = new AbortController();
    const reason = new EarshotError("interrupted", "interrupted by SIGINT");
    const running = backfillAuthors(request(() => stop.abort(reason), {}, stop.signal));
    await expect(running).rejects.toBe(reason);
  });
});
