import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalStore } from "../../db/local-store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import type { Store } from "../../db/operations.ts";
import { runNow } from "../../db/statements.ts";
import type { LeaseFailure } from "../../jobs/leases/lease.ts";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import { EarshotError } from "../../lib/errors.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import type { Method } from "../../platforms/methods.ts";
import type { FetchedItem, SourceAnswer } from "../../platforms/source.ts";
import type { Capability } from "../capability.ts";
import type { QuoteFacts, VerifiedEvidence } from "../evidence/evidence.ts";
import { answerBody, answerBytes } from "../protocol/answer.ts";
import { encodeBase64Url } from "../protocol/encoding.ts";
import { type AnswerKey, encryptAnswer } from "../protocol/encrypted-answer.ts";
import { createOpenedLeases, openJob } from "../protocol/encrypted-job.ts";
import { makeEnrolmentToken } from "../protocol/enrolment.ts";
import {
  deriveGatewayKey,
  makeRunKeys,
  makeSigningKey,
  type RunKeys,
  type SigningKey,
} from "../protocol/keys.ts";
import type { EncryptedAnswer, JobEnvelope, Registration } from "../protocol/messages.ts";
import { type SignedRequest, signRequest } from "../protocol/signed-request.ts";
import { quoteDigest, signResult } from "../protocol/signed-result.ts";
import {
  gatewayAudience,
  hashAttestationId,
  hashKeyId,
  hashNodeId,
  makeIdentityMessage,
} from "../protocol/statement.ts";
import { failureBytes, knowledgeText } from "../protocol/texts.ts";
import { type GatewaySettings, gatewayDefaults } from "../settings.ts";
import { comet, createFakeQueue, type FakeQueue } from "./fake-queue.test-support.ts";
import { createNodeGateway, type NodeGateway, type NodeSession } from "./gateway.ts";
import {
  createNodeDirectory,
  type NodeDirectory,
  type NodeDirectoryContext,
} from "./node-directory.ts";
import { changeNodeState, type NodeOperations, nodeOperations } from "./node-store.ts";

export type TestGateway = {
  clock: ManualClock;
  database: SqliteDatabase;
  store: Store<NodeOperations>;
  queue: FakeQueue;
  gateway: NodeGateway;
  directory: NodeDirectory;
  gatewayKey: string;
  verify: (registration: { kind: EvidenceKind }) => Promise<Partial<VerifiedEvidence>>;
  logEntries: { message: string; fields: Record<string, unknown> }[];
  reports: string[];
  /** Starts another gateway with the same store. */
  restart(): Promise<void>;
  change(id: string, state: "approved" | "draining" | "removed"): Promise<void>;
  close(): Promise<void>;
};

const idleDatabases: SqliteDatabase[] = [];

function openDatabase(): SqliteDatabase {
  const folder = mkdtempSync(join(tmpdir(), "earshot-nodes-"));
  const database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  database.syncCommits(false);
  rmSync(folder, { recursive: true });
  return database;
}

export const testToken = makeEnrolmentToken(Buffer.alloc(32, 7));

const gatewayKeys = deriveGatewayKey(Buffer.alloc(32, 7));

export async function startTestGateway(
  overrides: Partial<GatewaySettings> = {},
  extraContext: Pick<NodeDirectoryContext, "releaseSource"> = {},
): Promise<TestGateway> {
  const database = idleDatabases.pop() ?? openDatabase();
  const clock = createManualClock();
  const store = createLocalStore(database, nodeOperations);
  const settings = {
    ...gatewayDefaults,
    evidence: ["tdx", "simulated", "none"],
    ...overrides,
  } as const;
  const queue = createFakeQueue(clock);
  const test: TestGateway = {
    clock,
    database,
    store,
    queue,
    ...open(),
    gatewayKey: gatewayKeys.publicKey,
    verify: async () => ({}),
    logEntries: [],
    reports: [],
    restart: async () => {
      await test.gateway.stop();
      for (const job of queue.jobs()) queue.loseLease(job.uuid);
      Object.assign(test, open());
      await test.gateway.start();
    },
    change: async (id, state) => {
      runNow(changeNodeState(database.forOperations, { id, state, nowMs: clock.now() }));
      await clock.advance(1_000);
    },
    close: async () => {
      await test.gateway.stop();
      for (const table of ["node", "attestation", "node_event"]) {
        database.run(`DELETE FROM ${table}`);
      }
      idleDatabases.push(database);
    },
  };

  function open(): Pick<TestGateway, "directory" | "gateway"> {
    const log = (fields: Record<string, unknown>, message: string) =>
      void test.logEntries.push({ message, fields });
    const directory = createNodeDirectory({
      settings,
      store,
      clock,
      log: { info: log, warn: log },
      runningJobs: { count: queue.countRunning },
      embeddedRank: () => 0,
      ...extraContext,
    });
    const gateway = createNodeGateway(directory, {
      resultLifetimeMs: 3_600_000,
      queue,
      verify: async ({ evidence: kind }) => {
        const evidenceOverrides = await test.verify({ kind });
        return {
          verified: { ...makeVerifiedEvidence(kind), ...evidenceOverrides },
          collateral: null,
        };
      },
      policy: null,
      enrolmentToken: testToken,
      gatewayKey: gatewayKeys,
      onDispatch: (evidence) => test.reports.push(`dispatch ${evidence}`),
      onRefusedAnswer: (code) => test.reports.push(`refused ${code}`),
      onRegistration: (outcome) => test.reports.push(`registration ${outcome}`),
    });
    return { directory, gateway };
  }

  await test.gateway.start();
  return test;
}

function makeVerifiedEvidence(kind: EvidenceKind): VerifiedEvidence {
  return {
    kind,
    facts: kind === "none" ? null : makeQuoteFacts("machine-1"),
    composeHash: null,
    image: kind === "none" ? null : "image",
    isListedPlatform: false,
    policyId: "policy",
  };
}

export const makeQuoteFacts = (
  platformInstanceId: string,
  collateralUntilMs = Number.MAX_SAFE_INTEGER,
): QuoteFacts => ({
  tcbStatus: "UpToDate",
  advisories: [],
  ppid: null,
  platformInstanceId,
  fmspc: "",
  rootSha256: "",
  tcbEvaluationNumber: 1,
  collateralUntilMs,
  reportData: "",
  teeTcbSvn: "",
  mrSignerSeam: "",
  seamAttributes: "",
  mrTd: "",
  rtMr: [],
  mrSeam: "",
  mrConfigId: "",
  mrOwner: "",
  mrOwnerConfig: "",
  tdAttributes: "",
  xfam: "",
});

export const refusal = (code: string, message = code): EarshotError =>
  new EarshotError("evidence_refused", message, { status: 403, details: [{ code, message }] });

export type TestNode = {
  id: string;
  identity: SigningKey;
  keys: RunKeys;
  keyId: string;
  address: string;
  evidence: EvidenceKind;
  capabilities: readonly Capability[];
  concurrency: number;
  name: string;
  attestationId: string;
  quoteSha256: Uint8Array | null;
};

export const searchesX: readonly Capability[] = [
  { platform: "x", method: "searchbyquery", ways: ["archive"] },
];

export async function makeNode(overrides: Partial<TestNode> = {}): Promise<TestNode> {
  const identity = overrides.identity ?? makeSigningKey();
  const keys = overrides.keys ?? (await makeRunKeys());
  return {
    id: hashNodeId(identity.publicKey),
    identity,
    keys,
    keyId: hashKeyId({ signing_key: keys.signingKey, sealing_key: keys.encryptionKey }),
    address: "192.0.2.1",
    evidence: "none",
    capabilities: searchesX,
    concurrency: 4,
    name: "node",
    attestationId: "",
    quoteSha256: null,
    ...overrides,
  };
}

/** `overrides` apply to the statement before it is signed. */
export function makeRegistration(
  test: TestGateway,
  node: TestNode,
  nonce: string,
  overrides: Partial<Registration["statement"]> = {},
): Registration {
  const statement: Registration["statement"] = {
    version: 1,
    evidence: node.evidence,
    audience: gatewayAudience,
    nonce,
    identity_key: node.identity.publicKey,
    signing_key: node.keys.signingKey,
    sealing_key: node.keys.encryptionKey,
    boot_id: encodeBase64Url(Buffer.alloc(16)),
    gateway_key: test.gatewayKey,
    ...overrides,
  };
  const quote = node.evidence === "none" ? null : Buffer.from(nonce).toString("hex");
  return {
    statement,
    identity_signature: encodeBase64Url(node.identity.sign(makeIdentityMessage(statement))),
    evidence: { quote, event_log: null, vm_config: null },
    name: node.name,
    capabilities: [...node.capabilities].map(({ ways, ...rest }) => ({ ...rest, ways: [...ways] })),
    concurrency: node.concurrency,
    version: "1.0.0",
  };
}

export async function attest(test: TestGateway, node: TestNode) {
  const { nonce } = test.gateway.challenge();
  const registration = makeRegistration(test, node, nonce);
  const response = await test.gateway.register(registration, node.address);
  node.attestationId = hashAttestationId(registration.statement, registration.evidence);
  node.quoteSha256 = quoteDigest(registration.evidence);
  return response;
}

export async function admitNode(
  test: TestGateway,
  overrides: Partial<TestNode> = {},
): Promise<TestNode> {
  const node = await makeNode(overrides);
  if ((await attest(test, node)).state === "pending") {
    await test.change(node.id, "approved");
    await attest(test, node);
  }
  return node;
}

export function signedNodeRequest(
  test: TestGateway,
  node: TestNode,
  route: string,
  { nonce = randomUUID() as string, lateMs: ageMs = 0 } = {},
): SignedRequest {
  const request = { method: "POST", path: `/internal/nodes/${route}`, body: "{}" };
  const nowMs = test.clock.now() - ageMs;
  const headers = signRequest({ ...request, keyId: node.keyId, nowMs, nonce }, node.keys);
  return { ...request, headers, body: Buffer.from(request.body) };
}

export const makeNodeSession = (test: TestGateway, node: TestNode, route = "lease"): NodeSession =>
  test.gateway.authenticate(signedNodeRequest(test, node, route));

export async function leaseJob(
  test: TestGateway,
  node: TestNode,
  { waitMs = 0, signal = new AbortController().signal, method = "searchbyquery" as Method } = {},
): Promise<JobEnvelope | null> {
  const leaseBody = { methods: [method], wait_ms: waitMs };
  return await test.gateway.dispatch.lease(makeNodeSession(test, node), leaseBody, signal);
}

export type OpenedJob = {
  envelope: JobEnvelope;
  token: string;
  request: string;
  answerKey: AnswerKey;
  remainingMs: number;
};

export async function openEnvelope(
  test: TestGateway,
  node: TestNode,
  envelope: JobEnvelope | null,
): Promise<OpenedJob> {
  if (envelope === null) throw new Error("no job was dispatched");
  const { payload, answerKey } = await openJob(envelope, {
    keys: node.keys,
    keyId: node.keyId,
    gatewayKey: test.gatewayKey,
    nowMs: test.clock.now(),
    openedLeases: createOpenedLeases(),
  });
  const { token, request, left_ms: remainingMs } = payload;
  return { envelope, token, request, answerKey, remainingMs };
}

export const leaseAndOpen = async (
  test: TestGateway,
  node: TestNode,
  method?: Method,
): Promise<OpenedJob> =>
  await openEnvelope(
    test,
    node,
    await leaseJob(test, node, method === undefined ? {} : { method }),
  );

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

export async function failedCheck(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    return `${error.code} ${error.details[0]?.code ?? ""}`.trim();
  }
  return "nothing failed";
}
