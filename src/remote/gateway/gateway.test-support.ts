import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalStore } from "../../db/local-store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import type { Store } from "../../db/operations.ts";
import { runNow } from "../../db/statements.ts";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import { EarshotError } from "../../lib/errors.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import type { QuoteFacts, VerifiedEvidence } from "../evidence/evidence.ts";
import { makeEnrolmentToken } from "../protocol/enrolment.ts";
import { deriveGatewayKey } from "../protocol/keys.ts";
import { type GatewaySettings, gatewayDefaults } from "../settings.ts";
import { createFakeQueue, type FakeQueue } from "./fake-queue.test-support.ts";
import { createNodeGateway, type NodeGateway } from "./gateway.ts";
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

export async function failedCheck(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    return `${error.code} ${error.details[0]?.code ?? ""}`.trim();
  }
  return "nothing failed";
}
