import { afterEach, expect, test } from "vitest";
import type { FetchMethod } from "../platforms/methods.ts";
import {
  type AnsweringUnderTest,
  answering,
  noSupport,
  silentUpstream,
} from "./answer.test-support.ts";
import { deploymentAccess } from "./platform/deployment-access.ts";
import type { RemoteCapabilities } from "./remote-capabilities.ts";
import { createSources } from "./sources.ts";

let tested: AnsweringUnderTest | null = null;
afterEach(() => {
  tested?.archive.remove();
  tested = null;
});

const ofUser = { access: ["user"], endpoint: "/", note: "" } as const;
const x = silentUpstream("x", {
  support: { ...noSupport, gethometweets: ofUser, getfollowers: ofUser },
});

async function answerable(
  method: FetchMethod,
  special: Parameters<typeof answering>[0] = {},
  remote?: RemoteCapabilities,
) {
  const requested = {
    platform: "x",
    type: "social",
    method,
    accountId: "account",
    target: null,
  } as const;
  return await sourcesOf(special, remote).answerable(requested);
}

function contextOf(special: Parameters<typeof answering>[0]) {
  tested?.archive.remove();
  tested = answering({ upstreams: { x }, ...special });
  return tested.context;
}

const sourcesOf = (special: Parameters<typeof answering>[0], remote?: RemoteCapabilities) =>
  createSources(contextOf(special), remote);

const ofDeployment = { x: [{ access: "user", owner: "deployment" }] } as const;

test("a method is answerable with a credential, or from the archive without one", async () => {
  expect(await answerable("getfollowers", { configured: ofDeployment })).toEqual({
    ok: true,
    usesUpstream: true,
  });
  expect(await answerable("gettweets")).toEqual({ ok: true, usesUpstream: false });
});

test("reports what is missing, and how to add it", async () => {
  expect(await answerable("getfollowers")).toMatchObject({
    why: "not_configured",
    hint: expect.stringContaining("earshot credentials add x user-token"),
  });
  expect(await answerable("getspace")).toMatchObject({ why: "no_counterpart" });
});

test("does not use the deployment's credential for an own timeline", async () => {
  expect(await answerable("gethometweets", { configured: ofDeployment })).toMatchObject({
    why: "own_credential_needed",
    hint: expect.stringContaining("earshot credentials add x user-token --account"),
  });
});

test("reports a credential refused by its platform, with the reason", async () => {
  const refusals = { x: "api.x.com refused the credential (401)" };
  expect(await answerable("gethometweets", { refusals })).toMatchObject({
    why: "credential_refused",
    message: expect.stringContaining("refused the credential (401)"),
  });
});

const nodes = (special: Partial<RemoteCapabilities> = {}): RemoteCapabilities => ({
  hasEmbeddedNode: false,
  hasRemoteNodes: () => true,
  answers: () => null,
  ...special,
});

test("what another process's node can do is answerable, whether or not this one runs jobs", async () => {
  const upstream = { answers: () => "upstream" as const };
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
  const holding = { answers: () => "archive" as const };
  expect(await answerable("gettweets", {}, nodes(holding))).toEqual({
    ok: true,
    usesUpstream: false,
  });
});

test("reports that neither this process nor any node can answer", async () => {
  const configured = ofDeployment;
  expect(await answerable("getfollowers", { configured }, nodes())).toMatchObject({
    why: "not_configured",
    message: "no connected node supports getfollowers on x with type social",
    hint: expect.stringContaining("/v1/nodes"),
  });
  const upstream = { answers: () => "upstream" as const };
  expect(await answerable("gethometweets", { configured }, nodes(upstream))).toMatchObject({
    ok: false,
    message: expect.stringContaining("this server has no embedded node"),
  });
  expect(await answerable("getspace", {}, nodes())).toMatchObject({ why: "no_counterpart" });
});

test("accepts a search if this process or a node can search", () => {
  const requested = { platform: "social", type: "social", method: "searchbyquery" } as const;
  expect(sourcesOf({}).isSearched(requested)).toBe(true);
  expect(sourcesOf({}, nodes()).isSearched(requested)).toBe(false);
  const stored: RemoteCapabilities["answers"] = ({ platform }) =>
    platform === "mastodon" ? "archive" : null;
  expect(sourcesOf({}, nodes({ answers: stored })).isSearched(requested)).toBe(true);
  expect(
    sourcesOf({}, nodes({ answers: stored })).isSearched({ ...requested, platform: "x" }),
  ).toBe(false);
});

test("runs a job here if the account has its own credential for it", async () => {
  const requested = { type: "social", method: "getfollowers", accountId: "account" } as const;
  const ofAccount = { x: [{ access: "user", owner: "account" }] } as const;
  const here = nodes({ hasEmbeddedNode: true });
  const kept = (configured: typeof ofAccount | typeof ofDeployment, remote = here) =>
    sourcesOf({ configured }, remote).isLocalOnly({ ...requested, platform: "x" });
  expect(await kept(ofAccount)).toBe(true);
  expect(await kept(ofDeployment)).toBe(false);
  expect(await kept(ofAccount, nodes())).toBe(false);
  expect(await kept(ofAccount, nodes({ hasEmbeddedNode: true, hasRemoteNodes: () => false }))).toBe(
    false,
  );
  const remote = sourcesOf({ configured: ofAccount }, here);
  expect(await remote.isLocalOnly({ ...requested, platform: "bluesky" })).toBe(false);
});

test("runs the timeline of an account here", async () => {
  const { isLocalOnly } = sourcesOf({}, nodes({ hasEmbeddedNode: true }));
  const requested = { platform: "x", type: "social", accountId: "account" } as const;
  expect(await isLocalOnly({ ...requested, method: "gethometweets" })).toBe(true);
});

test("the deployment's access methods exclude accounts' credentials and own data", async () => {
  const configured = {
    x: [
      { access: "user", owner: "deployment" },
      { access: "public", owner: null },
    ],
  } as const;
  const methods = await deploymentAccess(contextOf({ configured }), "x");
  expect([...methods]).toEqual([["getfollowers", ["credential"]]]);
  expect([...(await deploymentAccess(contextOf({ configured }), "bluesky"))]).toEqual([]);
});
