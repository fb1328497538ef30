import { afterAll, beforeAll, expect, test } from "vitest";
import type { SpendingResponse } from "../../src/http/dashboard/contract/account.ts";
import { utcMonth } from "../../src/upstream/requests/spending.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_X_MONTHLY_POST_READS: "250" });
});
afterAll(() => service.remove());

const dayMs = 86_400_000;

async function sessionSpending(session: TestSession): Promise<SpendingResponse> {
  const response = await service.callAs(session, { url: "/dashboard/api/spending" });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

async function connect(accountId: string | null, id: string): Promise<void> {
  await service.context.store.write("putCredential", {
    id,
    accountId,
    platform: "x",
    kind: "app-token",
    host: "https://api.x.com",
    subject: null,
    subjectName: null,
    hint: "AAAA",
    encryptedSecret: new Uint8Array(32),
    maxOfOwner: 10,
    nowMs: service.clock.now(),
  });
}

type Reservation = {
  credentialId: string;
  owner: "account" | "deployment";
  accountId: string | null;
  postReads: number;
};

async function reserve({ postReads, ...spender }: Reservation) {
  const nowMs = service.clock.now();
  const amounts = { postReads, userReads: 2, requests: 1, microUsd: postReads * 5_000 };
  const { id } = await service.context.store.write("reserveSpending", {
    ...spender,
    month: utcMonth(nowMs),
    platform: "x",
    amounts,
    jobUuid: `job of ${spender.credentialId} ${postReads}`,
    attempt: 1,
    ownIds: [],
    maxPostReads: 250,
    nowMs,
  });
  return { id, amounts };
}

const settle = async (reservation: Reservation) =>
  await service.context.store.write("settleSpending", await reserve(reservation));

test("an account sees its spending in the month, and how much of the shared budget all accounts have spent", async () => {
  const [ann, bob] = [await service.signIn(), await service.signIn()];
  const month = utcMonth(service.clock.now());
  const nothing = { month, own: null, shared: null, deployment: null };
  expect([await sessionSpending(ann), await sessionSpending(bob)]).toEqual([nothing, nothing]);

  await connect(null, "shared");
  await connect(ann.accountId, "of ann");
  const byAnn = { accountId: ann.accountId };
  const ofAnn = { ...byAnn, credentialId: "of ann", owner: "account" } as const;
  const shared = { credentialId: "shared", owner: "deployment" } as const;
  await settle({ ...ofAnn, postReads: 300 });
  await reserve({ ...ofAnn, postReads: 100 });
  await settle({ ...shared, ...byAnn, postReads: 20 });
  await settle({ ...shared, ...byAnn, postReads: 30 });
  await reserve({ ...shared, ...byAnn, postReads: 10 });
  await settle({ ...shared, accountId: bob.accountId, postReads: 5 });
  await settle({ ...shared, accountId: null, postReads: 40 });
  await settle({ ...shared, accountId: "an unknown account", postReads: 1 });
  const deployment = { post_reads: 106, most_post_reads: 250 };
  expect(await sessionSpending(ann)).toEqual({
    month,
    own: { post_reads: 400, user_reads: 4, usd: 2 },
    shared: { post_reads: 60, user_reads: 6, usd: 0.3 },
    deployment,
  });
  expect(await sessionSpending(bob)).toEqual({
    month,
    own: null,
    shared: { post_reads: 5, user_reads: 2, usd: 0.025 },
    deployment,
  });

  const exported = await service.callAs(ann, { url: "/dashboard/api/account/export" });
  const lines = exported.body.split("\n").filter((line) => line.includes('"kind":"spending"'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { month, platform: "x", credential_id: null, post_reads: 50, micro_usd: 250_000 },
    { month, platform: "x", credential_id: "of ann", post_reads: 300, micro_usd: 1_500_000 },
  ]);

  await service.context.store.write("closeAccount", {
    ...byAnn,
    actor: byAnn,
    nowMs: service.clock.now(),
  });
  expect(await sessionSpending(bob)).toMatchObject({ deployment: { post_reads: 106 } });

  service.clock.move(32 * dayMs);
  const later = await service.signIn({ accountId: bob.accountId });
  expect(await sessionSpending(later)).toMatchObject({
    shared: { post_reads: 0, usd: 0 },
    deployment: { post_reads: 0 },
  });
});
