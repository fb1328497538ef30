import { afterAll, beforeAll, expect, test } from "vitest";
import type { NodesResponse } from "../../src/http/dashboard/contract/operator.ts";
import type { SessionResponse } from "../../src/http/dashboard/contract/session.ts";
import type { StatusResponse } from "../../src/http/dashboard/contract/status.ts";
import { storeNode } from "../../testkit/nodes/stored-node.ts";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let operator: TestSession;
const path = "/dashboard/api/operator/nodes";

beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_NODES_EVIDENCE: "tdx,none" });
  operator = await service.signIn({ role: "operator" });
});
afterAll(() => service.remove());

const change = (id: string, what: string) =>
  service.callAs(operator, { method: "POST", url: `${path}/${id}/${what}` });

async function fetchNodes(): Promise<NodesResponse> {
  const response = await service.callAs(operator, { method: "GET", url: path });
  expect(response.statusCode).toBe(200);
  return response.json();
}

async function getState(id: string): Promise<string | undefined> {
  return (await fetchNodes()).nodes.find((node) => node.id === id)?.state;
}

test("a node waits for an operator, who approves it, drains it, and approves it again", async () => {
  const id = "00000000000000a1";
  await storeNode(service, { id, name: "ams-1", state: "pending" });
  expect(await getState(id)).toBe("pending");
  const states = [];
  for (const what of ["approve", "drain", "approve"]) {
    const response = await change(id, what);
    expect(response.statusCode).toBe(200);
    const { nodes } = response.json<NodesResponse>();
    states.push(nodes.find((node) => node.id === id)?.state);
  }
  expect(states).toEqual(["approved", "draining", "approved"]);
  const { events } = await fetchNodes();
  expect(events.filter(({ node }) => node === "ams-1").map(({ action }) => action)).toEqual([
    "approved",
    "draining",
    "approved",
  ]);
});

test("a removed node is no longer listed and cannot be approved again", async () => {
  const id = "00000000000000b2";
  await storeNode(service, { id });
  expect((await change(id, "remove")).statusCode).toBe(200);
  expect(await getState(id)).toBeUndefined();
  const again = await change(id, "approve");
  expect([again.statusCode, again.json().code]).toEqual([409, "node_removed"]);
});

test("the audit log shows which operator did what to which node, by its id and never by its name", async () => {
  const id = "00000000000000c3";
  await storeNode(service, { id, name: "Ann’s laptop" });
  for (const what of ["drain", "remove"]) await change(id, what);
  const response = await service.callAs(operator, { url: "/dashboard/api/operator/audit" });
  const entries = response
    .json()
    .entries.filter(({ detail }: { detail: { node?: string } }) => detail.node === id);
  expect(entries).toMatchObject([
    { action: "node_removed", actor: expect.stringMatching(/^person-/), subject: null },
    { action: "node_drained", actor: expect.stringMatching(/^person-/), subject: null },
    { action: "node_approved", actor: "the command line", subject: null },
  ]);
  expect(response.body).not.toContain("laptop");
});

withFileStore("users see only nodes that an operator has approved", async () => {
  const first = await startServiceUnderTest();
  await storeNode(first, { id: "00000000000000d4", name: "let-in" });
  await storeNode(first, { id: "00000000000000e5", name: "an unapproved name", state: "pending" });
  await first.stop();
  const second = await startServiceUnderTest({ EARSHOT_DATA_DIR: first.dataDir });
  const session = await second.signIn();
  const response = await second.callAs(session, { url: "/dashboard/api/status?range=24h" });
  expect(response.json<StatusResponse>().nodes).toMatchObject([
    { id: "embedded", evidence: "none", state: "approved", is_connected: true, running: 0 },
    {
      name: "let-in",
      evidence: "none",
      state: "approved",
      is_connected: false,
      platforms: ["bluesky"],
      proves: expect.stringContaining("the holder of its keys"),
    },
  ]);
  const evidence = await second.call(null, { url: "/dashboard/api/session" });
  expect(evidence.json<SessionResponse>().insecure_evidence).toEqual([]);
  await second.remove();
  await first.remove();
});

test("the session response names, even before sign-in, the evidence that proves nothing", async () => {
  const url = "/dashboard/api/session";
  for (const response of [
    await service.call(null, { url }),
    await service.callAs(operator, { url }),
  ]) {
    expect(response.json<SessionResponse>().insecure_evidence).toEqual(["none"]);
  }
});
