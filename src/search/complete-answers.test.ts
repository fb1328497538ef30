import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmulatedPost, EmulatedUser } from "../../testkit/emulators/x/model.ts";
import { startXEmulator, type XEmulator } from "../../testkit/emulators/x/server.ts";
import {
  appSession,
  clientId,
  dayMs,
  idAt,
  minuteMs,
  postTarget,
  userSession,
  userTarget,
} from "../../testkit/upstreams/x.ts";
import { type FetchMethod, fetchMethods, ownMethods } from "../platforms/methods.ts";
import type { Session } from "../platforms/session.ts";
import type { AnswerItem, AnswerRequest, SourceAnswer } from "../platforms/source.ts";
import type { Target } from "../platforms/target.ts";
import { createXUpstream } from "../platforms/x/upstream.ts";
import type { OpenSession } from "../upstream/requests/sessions.ts";
import {
  type AnsweringUnderTest,
  endMs,
  makeAnswerRequest,
  setUpAnswering,
} from "./answer.test-support.ts";
import { answerJob } from "./answer.ts";

const hourMs = 60 * minuteMs;
const ann: EmulatedUser = { id: "11", username: "ann", followers: ["12", "14"] };
const bob: EmulatedUser = { id: "12", username: "bob", followers: ["11"] };
const cat: EmulatedUser = { id: "14", username: "cat", otherPosts: 5_000 };

const media = [{ key: "3_1", type: "photo", url: "https://pbs.twimg.com/media/a.jpg" }];
const post = (ageMs: number, n: number, overrides: Partial<EmulatedPost> = {}): EmulatedPost => {
  const createdMs = endMs - ageMs;
  return {
    id: idAt(createdMs, n),
    authorId: "11",
    text: "river",
    createdMs,
    lang: "en",
    ...overrides,
  };
};
const oldRoot = post(30 * dayMs, 1, { media });
const newRoot = post(2 * dayMs, 2, { media });
const replyTo = (root: EmulatedPost, ageMs: number, n: number): EmulatedPost =>
  post(ageMs, n, {
    authorId: "12",
    text: "answer river",
    conversationId: root.id,
    references: [{ type: "replied_to", id: root.id }],
  });
const posts: EmulatedPost[] = [
  oldRoot,
  newRoot,
  replyTo(oldRoot, 29 * dayMs, 3),
  replyTo(oldRoot, 8 * dayMs, 4),
  replyTo(oldRoot, dayMs, 5),
  replyTo(newRoot, dayMs, 6),
  replyTo(newRoot, hourMs, 7),
  post(hourMs, 8, {
    authorId: "12",
    text: "RT",
    references: [{ type: "retweeted", id: newRoot.id }],
  }),
  post(3 * dayMs, 9, { authorId: "14", media }),
];

let x: XEmulator;
let fixture: AnsweringUnderTest;
beforeEach(async () => {
  x = await startXEmulator({
    now: () => endMs,
    clients: [{ id: clientId, secret: null, redirectUri: "http://127.0.0.1/" }],
    world: {
      users: [ann, bob, cat],
      posts: [...posts],
      spaces: [{ id: "1DX", state: "live", title: "herons" }],
      trends: Array.from({ length: 60 }, (_, n) => ({ name: `#tag${n}`, count: n })),
    },
    faults: { isUnpaced: true },
  });
});
afterEach(async () => {
  fixture.archive.remove();
  await x.close();
});

type Access = readonly ("own user" | "own app" | "deployment user" | "deployment app")[];

const accesses: readonly Access[] = [
  ["own user"],
  ["own app"],
  ["own user", "own app"],
  ["own user", "deployment app"],
  ["own app", "deployment app"],
  ["deployment user", "deployment app"],
];

function sessionBy(access: Access[number]): OpenSession {
  const baseSession = access.endsWith("user") ? userSession(x, "12") : appSession(x);
  const session: Session = {
    ...baseSession,
    owner: access.startsWith("own") ? "account" : "deployment",
    credentialId: access,
    nowMs: endMs,
  };
  return { ...session, patientSession: session, cost: () => null };
}

function setUp(access: Access): void {
  fixture = setUpAnswering({
    upstreams: {
      x: createXUpstream({ apiUrl: x.url, trendsWoeid: 1, isRedistributionAgreed: false }),
    },
  });
  const sessions = access.map(sessionBy);
  fixture.context.sessions.open = async ({
    access: allowedAccess,
    ownership,
    credentialId = null,
  }) =>
    sessions.filter(
      (session) =>
        allowedAccess.includes(session.access) &&
        (ownership === "any" || session.owner === "account") &&
        (credentialId === null || session.credentialId === credentialId),
    );
}

async function allPages(overrides: Partial<AnswerRequest>): Promise<SourceAnswer[]> {
  const pages: SourceAnswer[] = [];
  let request = makeAnswerRequest({ platform: "x", maxResults: 2, ...overrides });
  for (;;) {
    const answer = await answerJob(fixture.context, request, fixture.job);
    pages.push(answer);
    const { next, nextPosition = null } = answer;
    if (next === null && nextPosition === null) return pages;
    request = { ...request, after: next, position: nextPosition };
  }
}

const listNames = (pages: readonly SourceAnswer[]): string[] =>
  pages.flatMap(({ items }) => items.map(itemName)).toSorted();

function itemName(item: AnswerItem): string {
  if (!("record" in item)) return String(item.id);
  const { ID } = JSON.parse(item.record);
  return String(ID);
}

const isComplete = (pages: readonly SourceAnswer[]): boolean =>
  pages.every(({ complete }) => complete);

const listIds = (which: (emulatedPost: EmulatedPost) => boolean): string[] =>
  posts
    .filter(which)
    .map(({ id }) => id)
    .toSorted();

const refersTo = (emulatedPost: EmulatedPost, type: string, id: string): boolean =>
  emulatedPost.references?.some((reference) => reference.type === type && reference.id === id) ??
  false;

type StoredItems = { target: Target | null; names: readonly string[]; isMore?: boolean };

const storedItems: Readonly<Record<FetchMethod, readonly StoredItems[]>> = {
  searchbyprofile: [{ target: userTarget({ handle: "ann" }), names: ["11"] }],
  getprofilebyid: [{ target: userTarget({ id: "11" }), names: ["11"] }],
  getbyid: [{ target: postTarget(oldRoot.id), names: [oldRoot.id] }],
  getreplies: [oldRoot, newRoot].map(({ id }) => ({
    target: postTarget(id),
    names: listIds((emulatedPost) => refersTo(emulatedPost, "replied_to", id)),
  })),
  getretweeters: [{ target: postTarget(newRoot.id), names: ["12"] }],
  gettweets: [
    { target: userTarget({ id: "11" }), names: listIds(({ authorId }) => authorId === "11") },
    {
      target: userTarget({ id: "14" }),
      names: listIds(({ authorId }) => authorId === "14"),
      isMore: true,
    },
  ],
  getmedia: [
    {
      target: userTarget({ handle: "ann" }),
      names: listIds(
        (emulatedPost) => emulatedPost.authorId === "11" && emulatedPost.media !== undefined,
      ),
    },
  ],
  gethometweets: [
    { target: null, names: listIds(({ authorId }) => authorId === "11" || authorId === "12") },
  ],
  getforyoutweets: [],
  gettrends: [
    { target: null, names: Array.from({ length: 60 }, (_, n) => String(n + 1)).toSorted() },
  ],
  getfollowing: [{ target: userTarget({ id: "12" }), names: ["11"] }],
  getfollowers: [{ target: userTarget({ id: "11" }), names: ["12", "14"] }],
  getspace: [{ target: { kind: "space", platform: "x", id: "1DX" }, names: ["1DX"] }],
};

const reaches = (method: FetchMethod, access: Access): boolean => {
  if (method === "gethometweets" || method === "gettrends") return false;
  return method !== "getreplies" || access.some((one) => one.endsWith("app"));
};

describe.each(accesses.map((access) => [access.join(" and "), access] as const))(
  "answers with %s",
  (_, access) => {
    test.each(
      fetchMethods.flatMap((method) => storedItems[method].map((one) => [method, one] as const)),
    )(
      "%s on X is complete if and only if everything was returned (%#)",
      async (method, { target, names, isMore = false }) => {
        setUp(access);
        const isOwn = [...ownMethods, "gettrends", "getspace"].includes(method);
        if (isOwn && !access.some((one) => one.startsWith("own"))) return;
        if (method === "gethometweets" && !access.includes("own user")) return;
        const maxResults = method === "gettrends" ? 100 : 2;
        const pages = await allPages({ method, target, maxResults });
        const isAll = JSON.stringify(listNames(pages)) === JSON.stringify(names);
        if (isComplete(pages)) expect(listNames(pages)).toEqual(names);
        if (isMore || !isAll) expect(isComplete(pages)).toBe(false);
        if (reaches(method, access) && !isMore) expect(isComplete(pages)).toBe(true);
      },
    );

    const windows = {
      live: { method: "searchbyquery", fromMs: endMs - 7 * dayMs, toMs: endMs },
      everything: { method: "searchbyfullarchive", fromMs: null, toMs: endMs },
      "older and newer": {
        method: "searchbyfullarchive",
        fromMs: endMs - 10 * dayMs,
        toMs: endMs - 12 * hourMs,
      },
      older: {
        method: "searchbyfullarchive",
        fromMs: endMs - 40 * dayMs,
        toMs: endMs - 20 * dayMs,
      },
      newer: {
        method: "searchbyfullarchive",
        fromMs: endMs - 5 * dayMs,
        toMs: endMs - 12 * hourMs,
      },
    } as const;

    test.each(Object.entries(windows))(
      "a search on X of a window (%s) is complete if and only if everything was returned",
      async (_name, window) => {
        setUp(access);
        const pages = await allPages({ ...window, query: "river" });
        const { fromMs, toMs } = window;
        const names = listIds(
          ({ text, createdMs }) =>
            text.includes("river") && createdMs < toMs && (fromMs === null || createdMs >= fromMs),
        );
        const isAll = JSON.stringify(listNames(pages)) === JSON.stringify(names);
        const isReached =
          access.some((one) => one.endsWith("app")) ||
          (fromMs !== null && fromMs >= endMs - 7 * dayMs);
        expect(isComplete(pages)).toBe(isReached);
        if (isReached) expect(listNames(pages)).toEqual(names);
        else expect(isAll).toBe(false);
      },
    );
  },
);

test("a live window on X is read only by recent search, with any credential", async () => {
  for (const access of [["own user"], ["own app"], ["own user", "own app"]] as const) {
    setUp(access);
    x.requests.length = 0;
    await allPages({ method: "searchbyquery", fromMs: endMs - 7 * dayMs, query: "river" });
    expect(new Set(x.requests.map(({ path }) => path))).toEqual(
      new Set(["/2/tweets/search/recent"]),
    );
    fixture.archive.remove();
  }
  setUp(["own app"]);
});

test.each([[["own user"]], [["own app"]], [["own user", "deployment app"]]] as const)(
  "a live window starts where X's recent search starts, and nothing else is requested (%j)",
  async (access) => {
    setUp(access);
    const fromMs = endMs - 7 * dayMs - 5_000;
    const [answer] = await allPages({ method: "searchbyquery", fromMs, query: "heron" });
    expect(answer).toMatchObject({
      complete: true,
      coverage: { fromMs: endMs - 7 * dayMs, complete: true, gaps: [] },
    });
    expect(x.requests.map(({ path }) => path)).toEqual(["/2/tweets/search/recent"]);
  },
);

test("only the last days on X are searched, with a warning, if an application lacks full-archive search", async () => {
  setUp(["own app"]);
  x.faults.forbiddenEndpoints = ["GET /2/tweets/search/all"];
  const pages = await allPages({ query: "river", maxResults: 20 });
  expect(listNames(pages)).toEqual(
    listIds(({ text, createdMs }) => text.includes("river") && createdMs >= endMs - 7 * dayMs),
  );
  expect(pages).toMatchObject([
    { complete: false, coverage: { gaps: [{ fromMs: null, toMs: endMs - 7 * dayMs }] } },
  ]);
  expect(pages[0]?.warnings.map(({ code }) => code)).toContain("credential_refused");
});

test("X's full archive is searched if recent search is refused", async () => {
  setUp(["own app"]);
  x.faults.forbiddenEndpoints = ["GET /2/tweets/search/recent"];
  const window = { fromMs: endMs - 7 * dayMs, method: "searchbyquery", query: "river" } as const;
  expect(isComplete(await allPages(window))).toBe(true);
});

test("the account's own credential returns full posts within its reach, and the deployment's only the IDs of older ones", async () => {
  setUp(["own user", "deployment app"]);
  const [answer] = await allPages({ query: "river", maxResults: 20 });
  const shownRecords = answer?.items.map((item) =>
    "record" in item ? JSON.parse(item.record) : null,
  );
  const isRecent = ({ ID }: { ID: string }) => BigInt(ID) >= BigInt(idAt(endMs - 7 * dayMs));
  expect(shownRecords?.length).toBeGreaterThan(4);
  for (const record of shownRecords ?? []) {
    expect(record.Content === "").toBe(!isRecent(record));
  }
  expect(answer?.sources.map(({ via, fromMs }) => [via, fromMs])).toEqual([
    ["archive", null],
    ["credential", endMs - 7 * dayMs],
    ["api", null],
  ]);
});

test("getmedia on X uses search where possible, because a timeline bills every post", async () => {
  setUp(["own user", "own app"]);
  await allPages({ method: "getmedia", target: userTarget({ handle: "ann" }) });
  expect(new Set(x.requests.map(({ path }) => path))).toEqual(new Set(["/2/tweets/search/all"]));
  x.faults.forbiddenEndpoints = ["GET /2/tweets/search/all"];
  x.requests.length = 0;
  const pages = await allPages({ method: "getmedia", target: userTarget({ handle: "ann" }) });
  expect(listNames(pages)).toEqual([oldRoot.id, newRoot.id].toSorted());
});

test("an answer with replies to an older post on X reports when they start, and the access that reads further back", async () => {
  setUp(["own user"]);
  const target = postTarget(oldRoot.id);
  const [answer] = await allPages({ method: "getreplies", target, maxResults: 20 });
  expect(answer).toMatchObject({
    complete: false,
    coverage: {
      fromMs: oldRoot.createdMs,
      gaps: [{ fromMs: oldRoot.createdMs, toMs: endMs - 7 * dayMs }],
    },
    warnings: [
      { code: "recent_replies_only", hint: expect.stringContaining("credentials add x app-token") },
    ],
  });
  const type = "social-credential";
  const [narrowAnswer] = await allPages({ type, method: "getreplies", target, maxResults: 20 });
  expect(narrowAnswer?.warnings).toMatchObject([{ code: "recent_replies_only" }]);
  expect(narrowAnswer?.warnings[0]).not.toHaveProperty("hint");
});
