import { afterAll, beforeAll, expect, test } from "vitest";
import type { SpendingAnswer } from "../../src/http/dashboard/contract/account.ts";
import { monthOf } from "../../src/upstream/requests/spending.ts";
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

async function spendingOf(session: TestSession): Promise<SpendingAnswer> {
  const answer = await service.callAs(session, { url: "/dashboard/api/spending" });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
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
    sealedSecret: new Uint8Array(32),
    maxOfOwner: 10,
    nowMs: service.clock.now(),
  });
}

async function reserve(credentialId: string, owner: "account" | "deployment", postReads: number) {
  const nowMs = service.clock.now();
  const spender = { month: monthOf(nowMs), platform: "x", credentialId, owner } as const;
  const amounts = { postReads, userReads: 2, requests: 1, microUsd: postReads * 5_000 };
  const { id } = await service.context.store.write("reserveSpending", {
    ...spender,
    amounts,
    jobUuid: `job of ${credentialId} ${postReads}`,
    attempt: 1,
    own: [],
    mostPostReads: 250,
    nowMs,
  });
  return { id, amounts };
}

test("shows the month's spending with own credentials, and the shared budget", async () => {
  const [ann, bob] = [await service.signIn(), await service.signIn()];
  const month = monthOf(service.clock.now());
  expect(await spendingOf(ann)).toEqual({ month, own: null, shared: null });

  await connect(null, "shared");
  await connect(ann.accountId, "of ann");
  const settled = await reserve("of ann", "account", 300);
  await service.context.store.write("settleSpending", settled);
  await reserve("of ann", "account", 100);
  await reserve("shared", "deployment", 40);
  expect(await spendingOf(ann)).toEqual({
    month,
    own: { post_reads: 400, user_reads: 4, usd: 2 },
    shared: { post_reads: 40, most_post_reads: 250 },
  });
  expect(await spendingOf(bob)).toEqual({
    month,
    own: null,
    shared: { post_reads: 40, most_post_reads: 250 },
  });

  service.clock.move(32 * dayMs);
  const later = await service.signIn({ accountId: ann.accountId });
  expect(await spendingOf(later)).toMatchObject({
    own: { post_reads: 0, usd: 0 },
    shared: { post_reads: 0 },
  });
});
