import { afterEach, expect, test } from "vitest";
import type { FetchMethod } from "../methods.ts";
import {
  type AnsweringUnderTest,
  answering,
  noSupport,
  silentUpstream,
} from "./answer.test-support.ts";
import { createSources } from "./sources.ts";

/** What is told of a method before a job is taken. */
let tested: AnsweringUnderTest | null = null;
afterEach(() => {
  tested?.archive.remove();
  tested = null;
});

const ofUser = { access: ["user"], endpoint: "/", note: "" } as const;
const x = silentUpstream("x", {
  support: { ...noSupport, gethometweets: ofUser, getfollowers: ofUser },
});

async function answerable(method: FetchMethod, special: Parameters<typeof answering>[0] = {}) {
  tested = answering({ upstreams: { x }, ...special });
  const { context, job } = tested;
  const { accountId } = job;
  const asked = { platform: "x", type: "social", method, accountId, target: null } as const;
  return await createSources(context).answerable(asked);
}

const ofDeployment = { x: [{ access: "user", owner: "deployment" }] } as const;

test("a method is answered where a credential may ask, and what the archive holds without one", async () => {
  expect(await answerable("getfollowers", { configured: ofDeployment })).toEqual({
    ok: true,
    isAsked: true,
  });
  tested?.archive.remove();
  expect(await answerable("gettweets")).toEqual({ ok: true, isAsked: false });
});

test("what is missing is told, and how to add it", async () => {
  expect(await answerable("getfollowers")).toMatchObject({
    why: "not_configured",
    hint: expect.stringContaining("earshot credentials add x user-token"),
  });
  tested?.archive.remove();
  expect(await answerable("getspace")).toMatchObject({ why: "no_counterpart" });
});

test("a timeline of one's own is not asked for with the deployment's credential", async () => {
  expect(await answerable("gethometweets", { configured: ofDeployment })).toMatchObject({
    why: "own_credential_needed",
    hint: expect.stringContaining("earshot credentials add x user-token --account"),
  });
});

test("a credential that its platform refuses is told of, with the reason", async () => {
  const refusals = { x: "api.x.com refuses the credential (status 401)" };
  expect(await answerable("gethometweets", { refusals })).toMatchObject({
    why: "credential_refused",
    message: expect.stringContaining("refuses the credential (status 401)"),
  });
});
