import { afterEach, beforeEach, expect, test } from "vitest";
import { plainSession } from "../../../testkit/emulators/mastodon/plain-session.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../../testkit/emulators/mastodon/server.ts";
import { isUntruncated } from "../../search/merge/completeness.ts";
import { firstPage, type ReadingPosition, readPages } from "../../search/platform/pages.ts";
import type { FetchMethod } from "../methods.ts";
import { readTarget } from "../read-target.ts";
import type { UpstreamItem } from "../upstream.ts";
import { createMastodonUpstream } from "./upstream.ts";

const nowMs = Date.UTC(2026, 10, 2);
const upstream = createMastodonUpstream({ instance: null });
let server: MastodonEmulator;
let token: string;
let names: { root: string; far: string };

beforeEach(async () => {
  server = await startMastodonEmulator({ now: () => nowMs });
  const { network } = server;
  const ann = network.addAccount({ username: "ann" });
  const far = network.addAccount({ username: "cat", domain: "far.example" });
  const shy = network.addAccount({ username: "shy", hidesCollections: true });
  const root = network.addStatus({ accountId: ann.id, text: "root", createdMs: nowMs - 90_000 });
  for (let index = 0; index < 70; index += 1) {
    const createdMs = nowMs - 80_000 + index * 1_000;
    const reply = { accountId: ann.id, text: `@ann ${index}`, inReplyToId: root.id, createdMs };
    network.addStatus(reply);
    network.addStatus({ accountId: far.id, text: `far ${index}`, createdMs });
    const fan = network.addAccount({ username: `fan${index}` });
    network.follow(fan.id, ann.id);
    network.follow(fan.id, shy.id);
  }
  token = server.addToken({ accountId: ann.id }).token;
  names = { root: root.id, far: "cat@far.example" };
});
afterEach(() => server.close());

async function readAll(
  method: FetchMethod,
  [kind, query]: readonly ["user" | "post", string],
  access: "user" | "public",
) {
  const session = plainSession(server, { nowMs, access, ...(access === "user" ? { token } : {}) });
  const target = readTarget(kind, query, "mastodon");
  const items: UpstreamItem[] = [];
  let areComplete = true;
  let lastIsComplete = true;
  let position: ReadingPosition | null = firstPage;
  while (position !== null) {
    const result = await readPages({
      read: (cursor, limit) => upstream.page({ method, target, cursor, limit }, session),
      start: position,
      limit: 30,
      maxPages: 20,
      name: "mastodon",
    });
    items.push(...result.items);
    lastIsComplete = isUntruncated(result.warnings);
    areComplete &&= lastIsComplete;
    position = result.position;
  }
  return { count: items.length, areComplete, lastIsComplete };
}

test.each([
  ["gettweets", "user", "user", 71],
  ["gettweets", "user", "public", 71],
  ["getfollowers", "user", "user", 70],
  ["getfollowers", "user", "public", 70],
  ["getreplies", "post", "user", 70],
] as const)(
  "%s on Mastodon is complete if the server knows everything (%s, %s)",
  async (method, kind, access, all) => {
    const result = await readAll(method, [kind, kind === "post" ? names.root : "ann"], access);
    expect(result).toEqual({ count: all, areComplete: true, lastIsComplete: true });
  },
);

test("replies on Mastodon are incomplete if the server shows only some", async () => {
  const { count, lastIsComplete } = await readAll("getreplies", ["post", names.root], "public");
  expect(count).toBeLessThan(70);
  expect(lastIsComplete).toBe(false);
});

test("the timeline of another server's account is incomplete, even on its last page", async () => {
  const result = await readAll("gettweets", ["user", names.far], "user");
  expect(result).toMatchObject({ areComplete: false, lastIsComplete: false });
});

test("the list of followers on Mastodon is incomplete if the account hides it", async () => {
  expect(await readAll("getfollowers", ["user", "shy"], "user")).toEqual({
    count: 0,
    areComplete: false,
    lastIsComplete: false,
  });
});
