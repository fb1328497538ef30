import { type SmallArchive, smallArchive } from "../../testkit/archives/small-archive.ts";
import type { Archive } from "../archive/archive.ts";
import { createManualClock } from "../lib/manual-clock.ts";
import { type Method, methodNames } from "../platforms/methods.ts";
import type { AnswerRequest } from "../platforms/source.ts";
import {
  type AccessKind,
  type MethodSupport,
  onlyRoute,
  type SearchCall,
  type Upstream,
  type UpstreamPage,
} from "../platforms/upstream.ts";
import { postTimeMs } from "../posts/ids.ts";
import type { Post } from "../posts/post.ts";
import { type Platform, platforms } from "../posts/post.ts";
import type { ConfiguredAccess, OpenSession, UpstreamJob } from "../upstream/requests/sessions.ts";
import type { AnswerContext } from "./context.ts";

export const endMs = Date.UTC(2026, 0, 2);

export const noSupport = Object.fromEntries(
  methodNames.map((method) => [method, { access: [], closest: "nothing" }]),
) as unknown as Record<Method, MethodSupport>;

const supportFor = (access: readonly AccessKind[]): Record<Method, MethodSupport> => ({
  ...noSupport,
  ...Object.fromEntries(methodNames.map((method) => [method, { access, endpoint: "/", note: "" }])),
});

export function silentUpstream(platform: Platform, overrides: Partial<Upstream> = {}): Upstream {
  return {
    platform,
    support: noSupport,
    page: async () => ({ items: [], next: null }),
    search: null,
    publicBaseUrl: null,
    readLimit: () => null,
    computePrice: null,
    displayScope: () => "everything",
    ...overrides,
  };
}

export type RequestedPages = SearchCall[];

export function searchingUpstream(
  platform: Platform,
  posts: readonly Post[],
  { pageSize = 10, isExhaustive = true, requested = [] as RequestedPages } = {},
): Upstream {
  const newestFirst = posts.toSorted((a, b) => postTime(b) - postTime(a));
  return silentUpstream(platform, {
    support: supportFor(["user"]),
    search: {
      isExhaustive,
      routes: () => onlyRoute,
      page: async (call): Promise<UpstreamPage> => {
        requested.push(call);
        const { fromMs, toMs, cursor } = call;
        const windowPosts = newestFirst.filter(
          (post) => postTime(post) < toMs && (fromMs === null || postTime(post) >= fromMs),
        );
        const offset = Number(cursor ?? 0);
        const items = windowPosts
          .slice(offset, offset + pageSize)
          .map((post) => ({ kind: "post" as const, post }));
        const next = offset + pageSize < windowPosts.length ? String(offset + pageSize) : null;
        return { items, next };
      },
    },
  });
}

export const postTime = (post: Post): number => postTimeMs(post, endMs);

export function testSession(platform: Platform, overrides: Partial<OpenSession> = {}): OpenSession {
  const failFetch = async (): Promise<never> => {
    throw new Error("unexpected fetch");
  };
  const session = {
    platform,
    access: "user" as const,
    owner: "account" as const,
    credentialId: "credential",
    subjectId: null,
    baseUrl: "https://platform.example",
    nowMs: endMs,
    get: failFetch,
    getPublic: failFetch,
  };
  return { ...session, patientSession: session, cost: () => null, ...overrides };
}

export type AnsweringUnderTest = {
  archive: SmallArchive;
  context: AnswerContext;
  job: UpstreamJob;
};

export function setUpAnswering({
  upstreams = {},
  sessions = {},
  configured = {},
  refusals = {},
  maxPages = 20,
}: {
  upstreams?: Partial<Record<Platform, Upstream>>;
  sessions?: Partial<Record<Platform, readonly OpenSession[]>>;
  configured?: Partial<Record<Platform, readonly ConfiguredAccess[]>>;
  refusals?: Partial<Record<Platform, string>>;
  maxPages?: number;
}): AnsweringUnderTest {
  const archive = smallArchive();
  const { operations } = archive.reader;
  const archiveStub: Partial<Archive> = {
    resolve: async (names) => operations.resolve(names),
    search: async (request) => operations.search(request),
    identify: async (posts) => operations.identify(posts),
    records: async (positions) => operations.records(positions),
    withLanguages: async (posts) => posts,
  };
  const context: AnswerContext = {
    source: {
      archive: archiveStub as Archive,
      clock: createManualClock(endMs),
      streamedPlatforms: [],
      coverageSlackMs: 0,
      liveSinceMs: () => 0,
    },
    sessions: {
      open: async ({ platform }) => sessions[platform] ?? [],
      configured: async (platform) => configured[platform] ?? [],
      refusal: async (platform) => refusals[platform] ?? null,
    },
    upstreams: Object.fromEntries(
      platforms.map((platform) => [platform, upstreams[platform] ?? silentUpstream(platform)]),
    ) as Record<Platform, Upstream>,
    settings: { maxPages, searchWaitMs: 10_000, defaultPlatform: "bluesky" },
  };
  const job: UpstreamJob = {
    uuid: "job",
    accountId: "account",
    attempt: 1,
    deadlineMs: endMs + 60_000,
    signal: new AbortController().signal,
  };
  return { archive, context, job };
}

export function makeAnswerRequest(overrides: Partial<AnswerRequest> = {}): AnswerRequest {
  return {
    platform: "social",
    type: "social",
    method: "searchbyfullarchive",
    query: "",
    fromMs: null,
    toMs: endMs,
    asOfMs: endMs,
    after: null,
    maxResults: 10,
    ...overrides,
  };
}
