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

test("the error for a missing source explains what is missing, and how to add it", async () => {
  expect(await answerable("getfollowers")).toMatchObject({
    why: "not_configured",
    hint: expect.stringContaining("earshot credentials add x user-token"),
  });
  expect(await answerable("getspace")).toMatchObject({ why: "no_counterpart" });
});

test("the deployment's credential is not used for an own timeline", async () => {
  expect(await answerable("gethometweets", { configured: ofDeployment })).toMatchObject({
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

const nodes = (special: Partial<RemoteCapabilities> = {}): RemoteCapabilities => ({
  hasEmbeddedNode: false,
  hasRemoteNodes: () => true,
  answers: () => null,
  ...special,
});

test("a method that another process's node can run is answerable, even if this process runs no jobs", async () => {
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

test("the error explains that neither this process nor any node can answer", async () => {
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

test("a search is accepted if this process or a node can run it", () => {
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

test("this process runs a job if the account has its own credential for it", async () => {
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

test("this process runs the home timeline of an account", async () => {
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
