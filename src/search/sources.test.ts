import { afterEach, expect, test } from "vitest";
import type { FetchMethod } from "../platforms/methods.ts";
import { readTarget } from "../platforms/read-target.ts";
import {
  type AnsweringUnderTest,
  noSupport,
  setUpAnswering,
  silentUpstream,
} from "./answer.test-support.ts";
import type { NodeCapabilities } from "./node-capabilities.ts";
import { deploymentAccess } from "./platform/deployment-access.ts";
import { createSources } from "./sources.ts";

let fixture: AnsweringUnderTest | null = null;
afterEach(() => {
  fixture?.archive.remove();
  fixture = null;
});

const userSupport = { access: ["user"], endpoint: "/", note: "" } as const;
const x = silentUpstream("x", {
  support: { ...noSupport, gethometweets: userSupport, getfollowers: userSupport },
});

async function answerable(
  method: FetchMethod,
  overrides: Parameters<typeof setUpAnswering>[0] = {},
  capabilities?: NodeCapabilities,
) {
  const request = {
    platform: "x",
    type: "social",
    method,
    accountId: "account",
    target: null,
  } as const;
  return await makeSources(overrides, capabilities).answerable(request);
}

function getContext(overrides: Parameters<typeof setUpAnswering>[0]) {
  fixture?.archive.remove();
  fixture = setUpAnswering({ upstreams: { x }, ...overrides });
  return fixture.context;
}

const makeSources = (
  overrides: Parameters<typeof setUpAnswering>[0],
  capabilities?: NodeCapabilities,
) => createSources(getContext(overrides), capabilities);

const deploymentUser = { x: [{ access: "user", owner: "deployment" }] } as const;

test("a method is answerable with a credential, or from the archive without one", async () => {
  expect(await answerable("getfollowers", { configured: deploymentUser })).toEqual({
    ok: true,
    usesUpstream: true,
  });
  expect(await answerable("gettweets")).toEqual({ ok: true, usesUpstream: false });
});

test("the posts of a name that the archive cannot look up need a credential", async () => {
  const support = { ...noSupport, gettweets: userSupport };
  const sources = makeSources({ upstreams: { mastodon: silentUpstream("mastodon", { support }) } });
  const postsOf = (name: string) =>
    sources.answerable({
      platform: "mastodon",
      type: "social",
      method: "gettweets",
      accountId: "account",
      target: readTarget("user", name, "mastodon"),
    });
  expect(await postsOf("ann")).toEqual({ ok: true, usesUpstream: false });
  expect(await postsOf("ann-b")).toMatchObject({ ok: false, why: "not_configured" });
});

test("the error for a missing source explains what is missing, and how to add it", async () => {
  expect(await answerable("getfollowers")).toMatchObject({
    why: "not_configured",
    hint: expect.stringContaining("earshot credentials add x user-token"),
  });
  expect(await answerable("getspace")).toMatchObject({ why: "no_counterpart" });
});

test("the deployment's credential is not used for an account's home timeline", async () => {
  expect(await answerable("gethometweets", { configured: deploymentUser })).toMatchObject({
    why: "own_credential_needed",
    hint: expect.stringContaining("earshot credentials add x user-token --account"),
  });
});

test("the error for a credential refused by its platform contains the reason", async () => {
  const refusals = { x: "api.x.com refused the credential (401)" };
  expect(await answerable("gethometweets", { refusals })).toMatchObject({
    why: "credential_refused",
    message: expect.stringContaining("refused the credential (401)"),
  });
});

const nodes = (overrides: Partial<NodeCapabilities> = {}): NodeCapabilities => ({
  hasEmbeddedNode: false,
  hasRemoteNodes: () => true,
  answeredFrom: () => null,
  ...overrides,
});

test("a method that another process's node can run is answerable, even if this process runs no jobs", async () => {
  const upstream = { answeredFrom: () => "upstream" as const };
  expect(await answerable("getfollowers", {}, nodes(upstream))).toEqual({
    ok: true,
    usesUpstream: true,
  });
  expect(
    await answerable("getfollowers", {}, nodes({ ...upstream, hasEmbeddedNode: true })),
  ).toEqual({
    ok: true,
    usesUpstream: true,
  });
  const archiveNode = { answeredFrom: () => "archive" as const };
  expect(await answerable("gettweets", {}, nodes(archiveNode))).toEqual({
    ok: true,
    usesUpstream: false,
  });
});

test("the error explains that neither this process nor any node can answer", async () => {
  const configured = deploymentUser;
  expect(await answerable("getfollowers", { configured }, nodes())).toMatchObject({
    why: "not_configured",
    message: "no connected node supports getfollowers on x with type social",
    hint: expect.stringContaining("/v1/nodes"),
  });
  const upstream = { answeredFrom: () => "upstream" as const };
  expect(await answerable("gethometweets", { configured }, nodes(upstream))).toMatchObject({
    ok: false,
    message: expect.stringContaining("this server has no embedded node"),
  });
  expect(await answerable("getspace", {}, nodes())).toMatchObject({ why: "no_counterpart" });
});

test("a search is accepted if this process or a node can run it", () => {
  const request = { platform: "social", type: "social", method: "searchbyquery" } as const;
  expect(makeSources({}).canSearch(request)).toBe(true);
  expect(makeSources({}, nodes()).canSearch(request)).toBe(false);
  const answeredFromArchive: NodeCapabilities["answeredFrom"] = ({ platform }) =>
    platform === "mastodon" ? "archive" : null;
  expect(makeSources({}, nodes({ answeredFrom: answeredFromArchive })).canSearch(request)).toBe(
    true,
  );
  expect(
    makeSources({}, nodes({ answeredFrom: answeredFromArchive })).canSearch({
      ...request,
      platform: "x",
    }),
  ).toBe(false);
});

test("a job runs in this process if the account has its own credential for it", async () => {
  const request = { type: "social", method: "getfollowers", accountId: "account" } as const;
  const accountUser = { x: [{ access: "user", owner: "account" }] } as const;
  const withEmbeddedNode = nodes({ hasEmbeddedNode: true });
  const isLocal = (
    configured: typeof accountUser | typeof deploymentUser,
    remote = withEmbeddedNode,
  ) => makeSources({ configured }, remote).isLocalOnly({ ...request, platform: "x" });
  expect(await isLocal(accountUser)).toBe(true);
  expect(await isLocal(deploymentUser)).toBe(false);
  expect(await isLocal(accountUser, nodes())).toBe(false);
  expect(
    await isLocal(accountUser, nodes({ hasEmbeddedNode: true, hasRemoteNodes: () => false })),
  ).toBe(false);
  const remote = makeSources({ configured: accountUser }, withEmbeddedNode);
  expect(await remote.isLocalOnly({ ...request, platform: "bluesky" })).toBe(false);
});

test("a job for an account's home timeline runs in this process", async () => {
  const { isLocalOnly } = makeSources({}, nodes({ hasEmbeddedNode: true }));
  const request = { platform: "x", type: "social", accountId: "account" } as const;
  expect(await isLocalOnly({ ...request, method: "gethometweets" })).toBe(true);
});

test("the deployment's access methods exclude methods that read an account's own data", async () => {
  const configured = {
    x: [
      { access: "user", owner: "deployment" },
      { access: "public", owner: null },
    ],
  } as const;
  const methods = await deploymentAccess(getContext({ configured }), "x");
  expect([...methods]).toEqual([["getfollowers", ["credential"]]]);
  expect([...(await deploymentAccess(getContext({ configured }), "bluesky"))]).toEqual([]);
});
