import type { Logger } from "pino";
import type { AccountFinalizer } from "../accounts/admin/account-finalizer.ts";
import type { AccountCredentials } from "../accounts/credentials/account-credentials.ts";
import type { FetchClientDocument } from "../accounts/grants/fetch-client-document.ts";
import type { grantLimits } from "../accounts/grants/settings.ts";
import type { DeploymentLimits } from "../accounts/keys/key.ts";
import type { Limiter } from "../accounts/limiter.ts";
import type { CsrfTokens } from "../accounts/sessions/csrf.ts";
import type { SessionSettings } from "../accounts/sessions/settings.ts";
import type { SignIn } from "../accounts/sign-in/sign-in.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { UsageRecorder } from "../accounts/usage/recorder.ts";
import type { Archive } from "../archive/archive.ts";
import type { IngestState, MastodonStreamState } from "../ingest/ingest-state.ts";
import type { JobQueue } from "../jobs/queue.ts";
import type { Webhooks } from "../jobs/webhooks/webhooks.ts";
import type { Clock } from "../lib/clock.ts";
import type { Encryptor } from "../lib/encryption.ts";
import type { Platform } from "../posts/post.ts";
import type { NodeGateway } from "../remote/gateway/gateway.ts";
import type { GatewaySettings } from "../remote/settings.ts";
import type { CountsRequest, SourceCounts } from "../search/archive/count.ts";
import type { SourceAvailability } from "../search/sources.ts";
import type { DashboardCookies } from "./dashboard/cookies.ts";
import type { StatusBoard } from "./dashboard/status-board.ts";
import type { Metrics } from "./metrics/metrics.ts";

type HttpSettings = Pick<GatewaySettings, "embedded"> & {
  /** Without a trailing slash; if null, the request's base URL is used. */
  publicUrl: string | null;
  /** Origins whose pages can call the API; `*` means all. */
  corsOrigins: readonly string[];
  /** Key for `/api/v1/data` requests without one; if null, these are rejected. */
  openNodeKey: string | null;
  limits: DeploymentLimits & { dashboardRequestsPerSecond: number };
  maxKeysPerAccount: number;
  newKeysPerDay: number;
  /** A sign-up this soon after a deletion gets the deleted account's limits. */
  deletedAccountMs: number;
  maxBodyBytes: number;
  maxConnections: number;
  connectionShare: number;
  maxHeaderBytes: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  maxWaitingRequests: number;
  xMonthlyPostReads: number;
  maxStreamMs: number;
  maxReadWaitMs: number;
  trustedProxies: readonly string[];
  liveWindowMs: number;
  maxLiveQueryLength: number;
  maxArchiveQueryLength: number;
  countDeadlineMs: number;
  maxCountBuckets: number;
  /** How long after its deadline a job can still end. */
  deadlineGraceMs: number;
};

export type Dashboard = {
  version: string;
  cookies: DashboardCookies;
  csrf: CsrfTokens;
  sessions: SessionSettings;
  signIn: SignIn;
  signInLimits: { attemptMs: number; attemptsPerMinute: number };
  apps: {
    fetchClientDocument: FetchClientDocument;
    encryptor: Encryptor;
    limits: typeof grantLimits;
  };
};

export type HttpContext = {
  settings: HttpSettings;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  limiter: Limiter;
  accounts: AccountStore;
  accountFinalizer: Pick<AccountFinalizer, "settle">;
  cursorKey: Uint8Array;
  jobs: Pick<
    JobQueue,
    | "submit"
    | "findEarlier"
    | "find"
    | "takePage"
    | "isUnfinished"
    | "waitForEnd"
    | "cancel"
    | "list"
    | "listAll"
    | "changes"
  >;
  webhooks: Webhooks;
  archive: Pick<Archive, "accountsNamed" | "page" | "records" | "search" | "withheld">;
  nodes: NodeGateway;
  sources: SourceAvailability;
  dashboard: Dashboard;
  credentials: AccountCredentials;
  usage: Pick<UsageRecorder, "recordRequest" | "recordKeyUse" | "recordKeyRequest" | "flush">;
  statusBoard: StatusBoard;
  loadSamples(): Promise<number>;
  fetchedPosts(
    accountId: string,
    id: bigint,
  ): Promise<readonly { platform: Platform; uri: string }[]>;
  /** Rejects with the signal's reason if it aborts. */
  countPosts(
    request: CountsRequest,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<SourceCounts>;
  /** Null when the live stream is off. */
  ingest(): IngestState | null;
  mastodonStream(): MastodonStreamState | null;
  canReadArchive(): Promise<boolean>;
  isStoreFull(): boolean;
  newId(): string;
};
