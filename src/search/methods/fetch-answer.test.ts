import { afterEach, describe, expect, test } from "vitest";
import { makePost } from "../../../testkit/data/make-post.ts";
import { EarshotError } from "../../lib/errors.ts";
import { readTarget } from "../../platforms/read-target.ts";
import type { AnswerItem, SourceAnswer } from "../../platforms/source.ts";
import type { Target } from "../../platforms/target.ts";
import type { AccessKind, PageCall, Upstream, UpstreamPage } from "../../platforms/upstream.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import type { Post } from "../../posts/post.ts";
import { importedUri } from "../../posts/references.ts";
import {
  type AnsweringUnderTest,
  endMs,
  makeAnswerRequest,
  noSupport,
  setUpAnswering,
  silentUpstream,
  testSession,
} from "../answer.test-support.ts";
import { answerJob } from "../answer.ts";

let fixture: AnsweringUnderTest | null = null;
afterEach(() => {
  fixture?.archive.remove();
  fixture = null;
});

const author: Target = {
  kind: "user",
  platform: "bluesky",
  handle: null,
  id: "did:plc:author",
  host: null,
};

const postTarget = (uri: string): Target => ({
  kind: "post",
  platform: "bluesky",
  uri,
  id: null,
  host: null,
  url: null,
  handle: null,
  key: null,
});

const posts = [3, 2, 1].map((n) =>
  makePost({ key: `3kpost${n}`, createdMs: endMs - (4 - n) * 1_000, text: `number ${n}` }),
);

function pagedUpstream(
  pages: readonly (readonly Post[])[],
  { access = ["user", "public"] as readonly AccessKind[], requested = [] as PageCall[] } = {},
): Upstream {
  const method = { access, endpoint: "/", note: "" };
  return silentUpstream("bluesky", {
    support: { ...noSupport, gettweets: method, getbyid: method, gethometweets: method },
    page: async (call): Promise<UpstreamPage> => {
      requested.push(call);
      const index = Number(call.cursor ?? 0);
      const items = (pages[index] ?? []).map((post) => ({ kind: "post" as const, post }));
      return { items, next: index + 1 < pages.length ? String(index + 1) : null };
    },
  });
}

const timeline = { platform: "bluesky", method: "gettweets", target: author } as const;
const contents = (answer: SourceAnswer): string[] => answer.items.map(makeContent);

function makeContent(item: AnswerItem): string {
  return "record" in item
    ? JSON.parse(item.record).Content
    : `archived: ${fixture?.archive.records([item])[0]?.Content}`;
}

test("a timeline comes from the platform, in its order, with the archive's IDs", async () => {
  fixture = setUpAnswering({
    upstreams: { bluesky: pagedUpstream([posts.slice(0, 2), posts.slice(2)]) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(timeline), fixture.job);
  expect(contents(answer)).toEqual(["number 3", "number 2", "number 1"]);
  const ids = answer.items.map(({ id }) => id ?? 0n);
  expect(ids).toEqual(ids.toSorted((a, b) => (a > b ? -1 : 1)));
  expect(answer).toMatchObject({
    complete: true,
    nextPosition: null,
    coverage: { complete: true },
  });
  expect(answer.sources).toEqual([
    { platform: "bluesky", via: "credential", fromMs: null, toMs: endMs, count: 3 },
  ]);
  fixture.archive.put(...posts);
  const found = fixture.archive.search({ plan: { kind: "all" } }).positions.map(({ id }) => id);
  expect(found).toEqual(ids);
});

test.each(["a-b@one.example", "a.b@one.example", "ann@localhost:3000"])(
  "a timeline of %s, which no query can express, comes from the platform",
  async (handle) => {
    fixture = setUpAnswering({
      upstreams: { bluesky: pagedUpstream([posts]) },
      sessions: { bluesky: [testSession("bluesky")] },
    });
    const request = makeAnswerRequest({ ...timeline, target: { ...author, id: null, handle } });
    expect(contents(await answerJob(fixture.context, request, fixture.job))).toHaveLength(3);
  },
);

test("a timeline continues in the middle of a page where the previous page ended", async () => {
  const requested: PageCall[] = [];
  fixture = setUpAnswering({
    upstreams: { bluesky: pagedUpstream([posts.slice(0, 2), posts.slice(2)], { requested }) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const found: string[] = [];
  let position: SourceAnswer["nextPosition"] = null;
  do {
    const request = makeAnswerRequest({ ...timeline, maxResults: 1, position });
    const answer: SourceAnswer = await answerJob(fixture.context, request, fixture.job);
    expect(answer.complete).toBe(true);
    found.push(...contents(answer));
    position = answer.nextPosition ?? null;
  } while (position !== null);
  expect(found).toEqual(["number 3", "number 2", "number 1"]);
});

test("the archive answers without the platform if it has all posts of the account", async () => {
  const requested: PageCall[] = [];
  fixture = setUpAnswering({
    upstreams: { bluesky: pagedUpstream([[]], { requested }) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  fixture.archive.write(
    posts.map((post) => ({ kind: "upsert", post })),
    {
      coverage: [
        {
          platform: "bluesky",
          collection: "posts",
          account: "did:plc:author",
          source: "backfill",
          fromMs: 0,
          toMs: endMs,
        },
      ],
    },
  );
  const { coverage } = fixture.archive.reader.operations;
  const { search } = fixture.context.source.archive;
  fixture.context.source.archive.search = async (request) => ({
    ...(await search(request)),
    coverage: coverage(),
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(timeline), fixture.job);
  expect(contents(answer)).toEqual([
    "archived: number 3",
    "archived: number 2",
    "archived: number 1",
  ]);
  expect(answer).toMatchObject({ complete: true, sources: [{ via: "archive" }] });
  expect(requested).toEqual([]);
});

test("a post is read from the archive if it is archived, otherwise from the platform", async () => {
  const requested: PageCall[] = [];
  fixture = setUpAnswering({
    upstreams: { bluesky: pagedUpstream([posts.slice(2)], { requested }) },
    sessions: { bluesky: [testSession("bluesky", { access: "public", owner: null })] },
  });
  fixture.archive.put(...posts.slice(0, 1));
  const request = async (post: Post | undefined) => {
    const target = postTarget(post?.uri ?? "");
    const request = makeAnswerRequest({ platform: "bluesky", method: "getbyid", target });
    return await answerJob(fixture?.context ?? never(), request, fixture?.job ?? never());
  };
  const archivedAnswer = await request(posts[0]);
  expect(contents(archivedAnswer)).toEqual(["archived: number 3"]);
  expect(archivedAnswer).toMatchObject({ complete: true, sources: [{ via: "archive", count: 1 }] });
  expect(requested).toEqual([]);
  const platformAnswer = await request(posts[2]);
  expect(contents(platformAnswer)).toEqual(["number 1"]);
  expect(platformAnswer.sources).toMatchObject([{ via: "public", count: 1 }]);
});

test("a post from before an outage is requested, and shown with a warning if that fails", async () => {
  const requested: PageCall[] = [];
  const upstream = pagedUpstream([posts.slice(0, 1)], { requested });
  const publicSessions = [testSession("bluesky", { access: "public", owner: null })];
  fixture = setUpAnswering({
    upstreams: { bluesky: upstream },
    sessions: { bluesky: publicSessions },
  });
  const [post = never()] = posts;
  fixture.archive.put({ ...post, origin: "stream" });
  const request = makeAnswerRequest({
    platform: "bluesky",
    method: "getbyid",
    target: postTarget(post.uri),
  });
  const platformAnswer = await answerJob(fixture.context, request, fixture.job);
  expect(platformAnswer.sources).toMatchObject([{ via: "public", count: 1 }]);
  expect(requested).toHaveLength(1);
  fixture.context.sessions.open = async () => [];
  const archivedAnswer = await answerJob(fixture.context, request, fixture.job);
  expect(contents(archivedAnswer)).toEqual(["archived: number 3"]);
  expect(archivedAnswer).toMatchObject({
    complete: false,
    warnings: [{ code: "posts_unchecked" }],
  });
});

describe("replies to a post on a Mastodon server", () => {
  const ulid = "01HZX5Y9K3V4M8Q2W7T6R1N0PB";
  const makeReply = (id: string): Post => ({
    ...makePost({ createdMs: endMs - 1_000, text: `a reply to ${id}` }),
    platform: "mastodon",
    uri: `https://far.example/statuses/${id}/reply`,
    isReply: true,
    inReplyTo: {
      id,
      uri: importedUri("mastodon", id, "gts.example"),
      username: null,
      userId: null,
    },
  });

  test.each([
    [ulid, `${ulid}@gts.example`],
    [ulid, `https://gts.example/@ann/statuses/${ulid}`],
    [ulid, `https://gts.example/users/ann/statuses/${ulid}`],
    ["9n2ciuz1wdesFnrGJU", "9n2ciuz1wdesFnrGJU@gts.example"],
    ["9h2k1x0abc", "9h2k1x0abc@gts.example"],
    ["109", "https://gts.example/@ann/109"],
  ])(
    "replies to a post on a Mastodon server with the id %s, written as %s, come from the archive",
    async (id, query) => {
      fixture = setUpAnswering({});
      fixture.archive.put(makeReply(id));
      const target = readTarget("post", query, "mastodon");
      const request = makeAnswerRequest({ platform: "mastodon", method: "getreplies", target });
      const answer = await answerJob(fixture.context, request, fixture.job);
      expect(contents(answer)).toEqual([`archived: a reply to ${id}`]);
      expect(answer.complete).toBe(false);
    },
  );

  test("replies come from the platform if the server of the post's id is unknown", async () => {
    const method = { access: ["public"] as const, endpoint: "/", note: "" };
    fixture = setUpAnswering({
      upstreams: {
        mastodon: silentUpstream("mastodon", {
          support: { ...noSupport, getreplies: method },
          page: async () => ({ items: [{ kind: "post", post: makeReply(ulid) }], next: null }),
        }),
      },
      sessions: { mastodon: [testSession("mastodon", { access: "public", owner: null })] },
    });
    const target = readTarget("post", ulid, "mastodon");
    const request = makeAnswerRequest({ platform: "mastodon", method: "getreplies", target });
    expect(contents(await answerJob(fixture.context, request, fixture.job))).toHaveLength(1);
  });
});

test("the archive's part of an answer is incomplete if no platform can be requested", async () => {
  fixture = setUpAnswering({});
  fixture.archive.put(...posts);
  const answer = await answerJob(fixture.context, makeAnswerRequest(timeline), fixture.job);
  expect(answer.items).toHaveLength(3);
  expect(answer).toMatchObject({ complete: false, coverage: { complete: false } });
});

test("a failing platform is replaced by the archive, and the answer names the platform", async () => {
  const error = new EarshotError("upstream_failed", "pds.example answers with status 500", {
    status: 502,
    retryable: true,
  });
  const failingUpstream = { ...pagedUpstream([]), page: () => Promise.reject(error) };
  fixture = setUpAnswering({
    upstreams: { bluesky: failingUpstream },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  await expect(answerJob(fixture.context, makeAnswerRequest(timeline), fixture.job)).rejects.toBe(
    error,
  );
  fixture.archive.put(...posts);
  const answer = await answerJob(fixture.context, makeAnswerRequest(timeline), fixture.job);
  expect(answer.items).toHaveLength(3);
  expect(answer.complete).toBe(false);
  expect(answer.warnings.map(({ message }) => message).join()).toContain("pds.example");
});

test("if two credentials are used up, a method waits for the one that reopens first", async () => {
  const upstream = pagedUpstream([posts]);
  const limitError = (retryAtMs: number) => new UpstreamLimited("pds.example", retryAtMs);
  const page: Upstream["page"] = async (call, session) => {
    if (session.credentialId === "late") throw limitError(endMs + 9_000);
    if (session.credentialId === "soon") throw limitError(endMs + 1_000);
    return await upstream.page(call, session);
  };
  const patientSession = (credentialId: string) => testSession("bluesky", { credentialId });
  fixture = setUpAnswering({
    upstreams: { bluesky: { ...upstream, page } },
    sessions: {
      bluesky: [
        testSession("bluesky", {
          credentialId: "late",
          patientSession: patientSession("late, open"),
        }),
        testSession("bluesky", {
          credentialId: "soon",
          patientSession: patientSession("soon, open"),
        }),
      ],
    },
  });
  const answer = await answerJob(
    fixture.context,
    makeAnswerRequest({ ...timeline, maxResults: 2 }),
    fixture.job,
  );
  expect(answer.items).toHaveLength(2);
  expect(answer.nextPosition).toMatchObject({ credentialId: "soon" });
});

test("only IDs are returned if nothing else can be shown", async () => {
  const upstream = { ...pagedUpstream([posts]), displayScope: () => "ids" as const };
  fixture = setUpAnswering({
    upstreams: { bluesky: upstream },
    sessions: { bluesky: [testSession("bluesky", { owner: "deployment" })] },
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(timeline), fixture.job);
  expect(JSON.stringify(answer.items.map((item) => "record" in item && item.record))).not.toContain(
    "number",
  );
  expect(answer.warnings).toMatchObject([{ code: "ids_only" }]);
});

test("a method uses only access methods that the type allows", async () => {
  const openRequests: unknown[] = [];
  fixture = setUpAnswering({ upstreams: { bluesky: pagedUpstream([posts]) } });
  fixture.context.sessions.open = async ({ access, ownership }) => {
    openRequests.push([access, ownership]);
    return [];
  };
  for (const type of ["social", "social-credential", "social-api"] as const) {
    await answerJob(fixture.context, makeAnswerRequest({ ...timeline, type }), fixture.job);
  }
  const home = makeAnswerRequest({ platform: "bluesky", method: "gethometweets" });
  await expect(answerJob(fixture.context, home, fixture.job)).rejects.toThrow(/gethometweets/);
  expect(openRequests).toEqual([
    [["user", "public"], "any"],
    [["user"], "any"],
    [["public"], "any"],
    [["user"], "own"],
  ]);
});

function never(): never {
  throw new Error("the test has not begun");
}
