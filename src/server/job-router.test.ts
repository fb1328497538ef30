import { expect, test } from "vitest";
import type { SearchJobRequest } from "../jobs/job.ts";
import type { Method } from "../platforms/methods.ts";
import type { AccessMethod } from "../platforms/source.ts";
import type { FetchPosition } from "../platforms/upstream.ts";
import type { Platform } from "../posts/post.ts";
import type { Capability } from "../remote/capability.ts";
import type { GatewaySettings } from "../remote/settings.ts";
import { createJobRouter, embeddedRank, type RoutableNode } from "./job-router.ts";

const nowMs = 10_000_000;

const capabilityFor = (
  platform: Platform,
  method: Method,
  methods: readonly AccessMethod[] = ["archive"],
): Capability => ({ platform, method, ways: methods });

const nodeWith = (
  capabilities: readonly Capability[],
  overrides: Partial<RoutableNode> = {},
): RoutableNode => ({
  id: "remote",
  state: "approved",
  isConnected: true,
  capabilities,
  takes: capabilities.map(({ method }) => method),
  seenMs: nowMs,
  ...overrides,
});

const work = (overrides: Partial<SearchJobRequest> = {}): SearchJobRequest => ({
  platform: "social",
  type: "social",
  method: "searchbyquery",
  query: "comet",
  maxResults: 10,
  fromMs: 0,
  toMs: 1,
  asOfMs: 1,
  after: null,
  ...overrides,
});

const followers = (overrides: Partial<SearchJobRequest> = {}) =>
  work({ platform: "x", method: "getfollowers", ...overrides });

const fetchPosition = (overrides: Partial<FetchPosition> = {}): FetchPosition => ({
  platform: "x",
  credentialId: "c",
  cursor: "next",
  lastKey: null,
  skip: 0,
  ...overrides,
});

function routerWith({
  embedded = "on",
  own = [],
  nodes = [],
}: {
  embedded?: GatewaySettings["embedded"];
  own?: readonly Capability[];
  nodes?: readonly RoutableNode[];
}) {
  return createJobRouter({
    embedded,
    capabilities: () => own,
    nodes: () => nodes,
    clock: { now: () => nowMs },
  });
}

const blueskySearch = capabilityFor("bluesky", "searchbyquery");
const xSearch = capabilityFor("x", "searchbyquery", ["api"]);
const xFollowers = capabilityFor("x", "getfollowers", ["credential"]);

test("without other nodes, this process takes every job", () => {
  const { runsHere, hasNodeFor } = routerWith({});
  expect([runsHere(work()), runsHere(followers())]).toEqual([true, true]);
  expect(hasNodeFor(work())).toBe(true);
});

test("a search of all platforms is left to nodes that cover more of them than this process", () => {
  const widerRouter = routerWith({
    own: [blueskySearch],
    nodes: [nodeWith([blueskySearch, xSearch])],
  });
  expect(widerRouter.runsHere(work())).toBe(false);
  expect(widerRouter.runsHere(work({ platform: "bluesky" }))).toBe(true);
  const equalRouter = routerWith({ own: [blueskySearch], nodes: [nodeWith([xSearch])] });
  expect(equalRouter.runsHere(work())).toBe(true);
  expect(embeddedRank("on", [blueskySearch], work())).toBe(1);
});

test("a node that does not request work does not prevent this process from running a job", () => {
  const nodes = [nodeWith([blueskySearch, xSearch], { takes: ["getbyid"] })];
  expect(routerWith({ own: [blueskySearch], nodes }).runsHere(work())).toBe(true);
  expect(routerWith({ embedded: "spare", own: [blueskySearch], nodes }).runsHere(work())).toBe(
    true,
  );
});

test("jobs for a platform that only a node can request are left to that node", () => {
  const { runsHere } = routerWith({
    own: [
      capabilityFor("x", "gettweets"),
      capabilityFor("bluesky", "gettweets", ["archive", "public"]),
    ],
    nodes: [
      nodeWith([
        capabilityFor("x", "gettweets", ["credential"]),
        capabilityFor("bluesky", "gettweets"),
      ]),
    ],
  });
  expect(runsHere(work({ platform: "x", method: "gettweets" }))).toBe(false);
  expect(runsHere(work({ platform: "bluesky", method: "gettweets" }))).toBe(true);
});

test("a spare embedded node runs what no connected node can run", () => {
  const { runsHere } = routerWith({
    embedded: "spare",
    own: [blueskySearch, xFollowers],
    nodes: [nodeWith([blueskySearch])],
  });
  expect([runsHere(work()), runsHere(followers())]).toEqual([false, true]);
  expect(embeddedRank("spare", [blueskySearch, xFollowers], work())).toBe(0);
});

const disconnected = (state: RoutableNode["state"], ms: number) => ({
  state,
  isConnected: false,
  seenMs: nowMs - ms,
});

test.each([
  ["disconnected for a minute", { isConnected: false, seenMs: nowMs - 60_000 }, false],
  ["quarantined", { state: "quarantined" }, false],
  ["draining", { state: "draining" }, false],
  ["draining and disconnected for a minute", disconnected("draining", 60_000), false],
  ["draining and disconnected for an hour", disconnected("draining", 3_600_000), true],
  ["disconnected for an hour", { isConnected: false, seenMs: nowMs - 3_600_000 }, true],
  ["waiting for approval", { state: "pending" }, true],
] as const)(
  "the state of a node decides whether its job waits for it or runs in this process: %s (%#)",
  (_name, overrides, isRun) => {
    const nodes = [nodeWith([xFollowers], overrides)];
    const { runsHere, nodeCapabilities } = routerWith({ own: [blueskySearch], nodes });
    expect(runsHere(followers())).toBe(isRun);
    const params = { platform: "x", type: "social", method: "getfollowers" } as const;
    expect(nodeCapabilities.answeredFrom(params)).toBe(isRun ? null : "upstream");
  },
);

test("jobs with credentials of this server, and their pages, run only in this process", () => {
  const nodes = [nodeWith([xFollowers])];
  const embeddedRouter = routerWith({ nodes });
  expect(embeddedRouter.runsHere(followers({ isLocalOnly: true }))).toBe(true);
  expect(embeddedRouter.runsHere(followers({ position: fetchPosition() }))).toBe(true);
  const gatewayRouter = routerWith({ embedded: "off", nodes });
  expect(gatewayRouter.hasNodeFor(followers())).toBe(true);
  expect(gatewayRouter.hasNodeFor(followers({ isLocalOnly: true }))).toBe(false);
  expect(gatewayRouter.hasNodeFor(followers({ position: fetchPosition() }))).toBe(false);
});

test("a node's page is continued by that node while it is connected", () => {
  const connectedRouter = routerWith({ nodes: [nodeWith([])] });
  const page = followers({ position: fetchPosition({ nodeId: "remote" }) });
  expect([connectedRouter.runsHere(page), connectedRouter.hasNodeFor(page)]).toEqual([false, true]);
  const offlineRouter = routerWith({ nodes: [nodeWith([], { isConnected: false })] });
  expect([offlineRouter.runsHere(page), offlineRouter.hasNodeFor(page)]).toEqual([false, false]);
});

test("a node that is pending approval is ignored", () => {
  const { nodeCapabilities, runsHere } = routerWith({
    nodes: [nodeWith([xFollowers], { state: "pending" })],
  });
  expect([nodeCapabilities.hasRemoteNodes(), runsHere(followers())]).toEqual([false, true]);
});

test("a node with only an archive of a platform can answer from it, but not request the platform", () => {
  const { nodeCapabilities } = routerWith({ embedded: "off", nodes: [nodeWith([blueskySearch])] });
  const params = { type: "social", method: "searchbyquery" } as const;
  expect(nodeCapabilities.answeredFrom({ ...params, platform: "bluesky" })).toBe("archive");
  expect(nodeCapabilities.answeredFrom({ ...params, platform: "x" })).toBeNull();
  expect([nodeCapabilities.hasEmbeddedNode, nodeCapabilities.hasRemoteNodes()]).toEqual([
    false,
    true,
  ]);
});

test("another node counts as available only if it would get the job", () => {
  const remote = nodeWith([xFollowers]);
  const sharedRouter = routerWith({ own: [xFollowers], nodes: [remote] });
  expect(sharedRouter.hasNodeFor(followers(), new Set(["remote"]))).toBe(true);
  expect(sharedRouter.hasNodeFor(followers(), new Set(["embedded"]))).toBe(true);
  expect(sharedRouter.hasNodeFor(followers(), new Set(["embedded", "remote"]))).toBe(false);
  const remoteOnlyRouter = routerWith({ embedded: "off", nodes: [remote] });
  expect(remoteOnlyRouter.hasNodeFor(followers(), new Set(["remote"]))).toBe(false);
  const narrowNode = nodeWith([blueskySearch], { id: "less" });
  const wideNode = nodeWith([blueskySearch, xSearch], { id: "more" });
  const unequalRouter = routerWith({ embedded: "off", nodes: [narrowNode, wideNode] });
  expect(unequalRouter.hasNodeFor(work(), new Set(["more"]))).toBe(false);
  expect(unequalRouter.hasNodeFor(work(), new Set(["less"]))).toBe(true);
  expect(sharedRouter.hasNodeFor(followers({ isLocalOnly: true }), new Set(["embedded"]))).toBe(
    false,
  );
});

test("a page is continued only by its own node, even if it failed there", () => {
  const { hasNodeFor } = routerWith({ nodes: [nodeWith([]), nodeWith([], { id: "other" })] });
  const page = followers({ position: fetchPosition({ nodeId: "remote" }) });
  expect(hasNodeFor(page, new Set(["remote"]))).toBe(false);
});
