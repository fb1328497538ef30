import type { LeaseFailure } from "../../jobs/leases/lease.ts";
import type { FetchedItem, SourceAnswer } from "../../platforms/source.ts";
import { answerBody, answerBytes } from "../protocol/answer.ts";
import { encryptAnswer } from "../protocol/encrypted-answer.ts";
import type { EncryptedAnswer } from "../protocol/messages.ts";
import { signResult } from "../protocol/signed-result.ts";
import { failureBytes, knowledgeText } from "../protocol/texts.ts";
import { comet } from "./fake-queue.test-support.ts";
import type { TestGateway } from "./gateway.test-support.ts";
import { makeNodeSession, type OpenedJob, type TestNode } from "./node.test-support.ts";

export function postAt(minute: number): FetchedItem {
  const createdMs = comet.toMs - 600_000 + minute * 60_000;
  const id = BigInt(createdMs - 1_288_834_974_657) << 22n;
  const uri = `https://x.com/i/status/${id}`;
  const record = JSON.stringify({
    ID: id.toString(),
    Content: "a comet",
    Metadata: {
      platform: "x",
      uri,
      user_id: "1",
      created_at: new Date(createdMs).toISOString(),
    },
    Score: 0,
  });
  return { platform: "x", id, uri, userId: "1", record };
}

export function answerWith(
  items: readonly FetchedItem[],
  overrides: Partial<SourceAnswer> = {},
): SourceAnswer & { items: readonly FetchedItem[] } {
  const { fromMs, toMs } = comet;
  return {
    next: null,
    complete: true,
    coverage: { fromMs, toMs, complete: true, gaps: [], platforms: [] },
    sources: [{ platform: "x", via: "archive", fromMs, toMs, count: items.length }],
    warnings: [],
    ...overrides,
    items,
  };
}

type SignedParts = Parameters<typeof signResult>[0];

export function makeEncryptedAnswer(
  test: TestGateway,
  node: TestNode,
  job: OpenedJob,
  answer = answerWith([postAt(5)]),
  overrides: Partial<SignedParts> = {},
  signer = node,
): EncryptedAnswer {
  const knowledge = knowledgeText(answer);
  const body = answerBody(answer.items);
  const fields = signResult(
    {
      body,
      job: job.envelope.job,
      request: job.request,
      knowledge,
      evidence: node.evidence,
      quoteSha256: node.quoteSha256,
      attestationId: node.attestationId,
      keyId: node.keyId,
      nowMs: test.clock.now(),
      ...overrides,
    },
    signer.keys,
  );
  const encryptedBody = encryptAnswer(
    job.answerKey,
    answerBytes({ body, items: answer.items, knowledge, fields }),
  );
  return { job: job.envelope.job, token: job.token, ...encryptedBody };
}

export function makeEncryptedFailure(
  job: OpenedJob,
  overrides: Partial<LeaseFailure> = {},
): EncryptedAnswer {
  const failure = {
    code: "upstream_failed",
    message: "it broke",
    status: 502,
    retryable: true,
    ...overrides,
  };
  return {
    job: job.envelope.job,
    token: job.token,
    ...encryptAnswer(job.answerKey, failureBytes(failure)),
  };
}

export async function complete(
  test: TestGateway,
  ...args: Parameters<typeof makeEncryptedAnswer> extends [TestGateway, ...infer Rest]
    ? Rest
    : never
): Promise<void> {
  const [node] = args;
  const answer = makeEncryptedAnswer(test, ...args);
  await test.gateway.completion.complete(makeNodeSession(test, node, "complete"), answer);
}
