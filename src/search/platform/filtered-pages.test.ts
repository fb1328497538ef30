import { afterEach, describe, expect, test } from "vitest";
import { makePost } from "../../../testkit/data/make-post.ts";
import { plainSession } from "../../../testkit/emulators/mastodon/plain-session.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../../testkit/emulators/mastodon/server.ts";
import { startXEmulator, type XEmulator } from "../../../testkit/emulators/x/server.ts";
import {
  appSession,
  clientId,
  idAt,
  userSession,
  userTarget,
} from "../../../testkit/upstreams/x.ts";
import { createMastodonUpstream } from "../../platforms/mastodon/upstream.ts";
import type { Session } from "../../platforms/session.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import type { UpstreamPage } from "../../platforms/upstream.ts";
import { createXUpstream } from "../../platforms/x/upstream.ts";
import type { OpenSession } from "../../upstream/requests/sessions.ts";
import {
  type AnsweringUnderTest,
  endMs,
  makeAnswerRequest,
  searchingUpstream,
  setUpAnswering,
  testSession,
} from "../answer.test-support.ts";
import { answerJob } from "../answer.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers) await close();
  closers = [];
});

const openSessionWith = (session: Session): OpenSession => ({
  ...session,
  patientSession: session,
  cost: () => null,
});

function setUpWith(options: Parameters<typeof setUpAnswering>[0]): AnsweringUnderTest {
  const fixture = setUpAnswering(options);
  closers.push(() => fixture.archive.remove());
  return fixture;
}

describe("a hashtag on Mastodon, most of whose authors have not opted in", () => {
  async function startServer(): Promise<MastodonEmulator> {
    const server = await startMastodonEmulator({ now: () => endMs });
    closers.push(() => server.close());
    const { network } = server;
    const shy = network.addAccount({ username: "shy", indexable: false });
    const ann = network.addAccount({ username: "ann" });
    const add = (accountId: string, index: number) =>
      network.addStatus({
        accountId,
        text: `#comet ${index}`,
        createdMs: endMs - index * hourMs,
      });
    for (let index = 170; index > 160; index -= 1) add(ann.id, index);
    for (let index = 160; index > 0; index -= 1) add(shy.id, index);
    return server;
  }

  async function send(server: MastodonEmulator, maxPages: number, after: AnswerRequest["after"]) {
    const fixture = setUpWith({
      upstreams: { mastodon: createMastodonUpstream({ instance: server.url }) },
      sessions: { mastodon: [openSessionWith(plainSession(server, { nowMs: endMs }))] },
      maxPages,
    });
    const request = makeAnswerRequest({ query: "#comet", after, maxResults: 100 });
    return await answerJob(fixture.context, request, fixture.job);
  }

  test("a hashtag timeline whose authors mostly have not opted in is read until there are posts that can be shown", async () => {
    const answer = await send(await startServer(), 20, null);
    expect(answer.items).toHaveLength(10);
    expect(answer.warnings.map(({ code }) => code)).not.toContain("upstream_repeats");
  });

  test("a hashtag timeline continues after the hidden posts, page by page", async () => {
    const server = await startServer();
    let after: AnswerRequest["after"] = null;
    let found = 0;
    let answers = 0;
    do {
      const answer = await send(server, 2, after);
      found += answer.items.length;
      answers += 1;
      after = answer.next;
    } while (after !== null && answers < 20);
    expect(found).toBe(10);
    expect(answers).toBeGreaterThan(1);
    expect(answers).toBeLessThan(6);
  });
});

describe("an account on X", () => {
  async function startX(posts: number, withMediaFrom: number): Promise<XEmulator> {
    const x = await startXEmulator({
      now: () => endMs,
      clients: [{ id: clientId, secret: null, redirectUri: "http://127.0.0.1/" }],
      world: {
        users: [
          { id: "11", username: "ann" },
          { id: "12", username: "bob" },
        ],
      },
    });
    closers.push(() => x.close());
    const media = [{ key: "3_1", type: "photo", url: "https://pbs.twimg.com/media/a.jpg" }];
    for (let n = 1; n <= posts; n += 1) {
      const createdMs = endMs - n * minuteMs;
      const mediaFields = n >= withMediaFrom ? { media } : {};
      x.world.posts.push({
        id: idAt(createdMs, n),
        authorId: "11",
        text: `river ${n}`,
        lang: "en",
        createdMs,
        ...mediaFields,
      });
    }
    return x;
  }

  async function request(session: Session, request: Partial<AnswerRequest>, maxPages = 20) {
    const upstream = createXUpstream({
      apiUrl: "https://api.x.com",
      trendsWoeid: 1,
      isRedistributionAgreed: true,
    });
    const fixture = setUpWith({
      upstreams: { x: upstream },
      sessions: { x: [openSessionWith(session)] },
      maxPages,
    });
    const target = userTarget({ id: "11" });
    return await answerJob(
      fixture.context,
      makeAnswerRequest({ platform: "x", target, maxResults: 100, ...request }),
      fixture.job,
    );
  }

  test("an account on X whose newest posts have no media yields the media of older ones", async () => {
    const x = await startX(320, 301);
    const session = userSession(x, "12");
    const answer = await request(session, { method: "getmedia" });
    expect(answer).toMatchObject({ complete: true, nextPosition: null, warnings: [] });
    expect(answer.items).toHaveLength(20);
    expect(session.settledBill.postReads).toBe(320);
  });

  test("an account on X is read up to the page limit in one answer, and the next one continues from there", async () => {
    const x = await startX(320, 301);
    const session = userSession(x, "12");
    const first = await request(session, { method: "getmedia" }, 3);
    expect(first).toMatchObject({ items: [], complete: false });
    expect(first.warnings.map(({ code }) => code)).toEqual(["page_limit_reached"]);
    const position = first.nextPosition ?? null;
    const second = await request(session, { method: "getmedia", position }, 3);
    expect(second.items).toHaveLength(20);
    expect(second.nextPosition).toBeNull();
  });

  test.each(["suspended", "deleted"])(
    "an account on X that is %s during paging makes the answer incomplete",
    async (what) => {
      const x = await startX(150, 1);
      const session = appSession(x);
      const get = session.get;
      let pages = 0;
      const interruptedSession: Session = {
        ...session,
        get: async (request) => {
          if (request.path === "/2/users/11/tweets") pages += 1;
          const [ann] = x.world.users;
          if (pages === 2 && ann !== undefined) ann.isSuspended = true;
          const answer = await get(request);
          return pages === 2 && what === "deleted" ? { ...answer, status: 404, json: {} } : answer;
        },
      };
      const answer = await request(interruptedSession, { method: "gettweets", maxResults: 150 });
      expect(answer.items).toHaveLength(100);
      expect(answer).toMatchObject({ complete: false, nextPosition: null });
      expect(answer.warnings.map(({ code }) => code)).toEqual(["upstream_gone"]);
    },
  );

  test("an account on X that is absent from the start yields an empty, complete answer", async () => {
    const x = await startX(1, 1);
    const [ann] = x.world.users;
    if (ann !== undefined) ann.isSuspended = true;
    const answer = await request(appSession(x), { method: "gettweets" });
    expect(answer).toMatchObject({ items: [], complete: true, warnings: [] });
  });
});

describe("a search", () => {
  const comet = makePost({ key: "comet", text: "comet", createdMs: endMs - 9 * hourMs });

  async function runSearch(
    page: (call: number) => UpstreamPage,
    { maxPages = 20, after = null as AnswerRequest["after"] } = {},
  ) {
    const upstream = searchingUpstream("bluesky", []);
    let calls = 0;
    const search = upstream.search && { ...upstream.search, page: async () => page(calls++) };
    const fixture = setUpWith({
      upstreams: { bluesky: { ...upstream, search } },
      sessions: { bluesky: [testSession("bluesky")] },
      maxPages,
    });
    const request = makeAnswerRequest({ query: "comet", fromMs: endMs - 24 * hourMs, after });
    const answer = await answerJob(fixture.context, request, fixture.job);
    return { answer, codes: answer.warnings.map(({ code }) => code), calls };
  }

  test.each<[string, Omit<UpstreamPage, "next">, string]>([
    ["has no items", { items: [] }, "upstream_empty_pages"],
    ["is filtered out", { items: [], received: 9, oldestMs: endMs - hourMs }, "upstream_repeats"],
  ])(
    "a search ends at a page that repeats under other cursors and %s",
    async (_what, page, code) => {
      const { answer, codes, calls } = await runSearch((call) => ({ ...page, next: String(call) }));
      expect(answer).toMatchObject({ items: [], complete: false });
      expect(codes).toContain(code);
      expect(calls).toBeLessThanOrEqual(4);
    },
  );

  test("a search whose items are all filtered out continues below what it has read, and ends", async () => {
    const page = (call: number): UpstreamPage => ({
      items: [],
      next: String(call),
      received: 40,
      oldestMs: endMs - (call + 1) * hourMs,
    });
    const { answer, codes } = await runSearch(page, { maxPages: 5 });
    expect(codes).toContain("page_limit_reached");
    expect(answer.next).not.toBeNull();
    const unreadablePage = (call: number): UpstreamPage => ({
      items: [],
      next: String(call),
      received: 40,
    });
    const stuckSearch = await runSearch(unreadablePage, { maxPages: 5, after: answer.next });
    expect(stuckSearch.codes).toContain("upstream_repeats");
    expect(stuckSearch.answer.next).toBeNull();
  });

  test("a search whose subject disappears on a later page is incomplete", async () => {
    const pages: UpstreamPage[] = [
      { items: [{ kind: "post", post: comet }], next: "more" },
      { items: [], next: null, isAbsent: true },
    ];
    const { answer, codes } = await runSearch((call) => pages[call] ?? { items: [], next: null });
    expect(answer.items).toHaveLength(1);
    expect(answer).toMatchObject({ complete: false, coverage: { complete: false } });
    expect(codes).toContain("upstream_gone");
  });
});
