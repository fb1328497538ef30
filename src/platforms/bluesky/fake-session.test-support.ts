import { Headers } from "undici";
import type { Session, UpstreamRequest, UpstreamResponse } from "../session.ts";
import type { AccessKind, PageCall } from "../upstream.ts";

export const now = Date.parse("2026-11-21T12:00:00Z");

type StubResponse = { status?: number; json: unknown };

export function fakeSession(
  responses: Readonly<Record<string, StubResponse | ((request: UpstreamRequest) => StubResponse)>>,
  access: AccessKind = "public",
): Session & { requests: UpstreamRequest[] } {
  const requests: UpstreamRequest[] = [];
  const get = async (request: UpstreamRequest): Promise<UpstreamResponse> => {
    requests.push(request);
    const response = responses[request.path.replace("/xrpc/", "")];
    if (response === undefined) throw new Error(`unexpected request: ${request.path}`);
    const { status = 200, json } = typeof response === "function" ? response(request) : response;
    return { status, headers: new Headers(), json, settle: () => {} };
  };
  return {
    requests,
    platform: "bluesky",
    access,
    owner: access === "user" ? "account" : null,
    credentialId: access === "user" ? "credential" : null,
    subjectId: null,
    baseUrl: "https://appview.example",
    nowMs: now,
    get,
    getPublic: async (url, request) => await get({ ...request, path: url.pathname }),
  };
}

export const ann = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
export const bob = "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb";

export const userTarget = (name: { handle?: string; id?: string }): PageCall["target"] => ({
  kind: "user",
  platform: "bluesky",
  handle: name.handle ?? null,
  id: name.id ?? null,
  host: null,
});

export const postTarget = (name: {
  uri?: string;
  handle?: string;
  key?: string;
}): PageCall["target"] => ({
  kind: "post",
  platform: "bluesky",
  uri: name.uri ?? null,
  id: null,
  host: null,
  url: null,
  handle: name.handle ?? null,
  key: name.key ?? null,
});

export const author = (did = ann, overrides: Record<string, unknown> = {}) => ({
  did,
  handle: did === ann ? "ann.example" : "bob.example",
  displayName: did === ann ? "Ann" : "Bob",
  labels: [],
  ...overrides,
});

export const postUri = (key: string, did = ann) => `at://${did}/app.bsky.feed.post/${key}`;

export const postView = (key: string, overrides: Record<string, unknown> = {}, did = ann) => ({
  uri: postUri(key, did),
  cid: "bafyreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgb5etxpbhfkncqzjy",
  author: author(did),
  record: {
    $type: "app.bsky.feed.post",
    text: `post ${key}`,
    createdAt: "2026-11-20T10:00:00.000Z",
    langs: ["en"],
  },
  likeCount: 3,
  repostCount: 2,
  replyCount: 1,
  quoteCount: 0,
  indexedAt: "2026-11-20T10:00:01.500Z",
  labels: [],
  ...overrides,
});

export const labelView = (val: string, overrides: Record<string, unknown> = {}) => ({
  src: "did:plc:ar7c4by46qjdydhdevvrndac",
  uri: ann,
  val,
  cts: "2026-11-01T00:00:00.000Z",
  ...overrides,
});
