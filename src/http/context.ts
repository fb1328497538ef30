import type { Logger } from "pino";
import type { AccountEnds } from "../accounts/admin/account-ends.ts";
import type { AccountCredentials } from "../accounts/credentials/account-credentials.ts";
import type { DeploymentLimits } from "../accounts/keys/effective-limits.ts";
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
import type { Platform } from "../posts/post.ts";
import type { NodeGateway } from "../remote/gateway/gateway.ts";
import type { GatewaySettings } from "../remote/settings.ts";
import type { CountsRequest, SourceCounts } from "../search/archive/count.ts";
import type { Sources } from "../search/sources.ts";
import type { DashboardCookies } from "./dashboard/cookies.ts";
import type { StatusBoard } from "./dashboard/status-board.ts";
import type { Metrics } from "./metrics/metrics.ts";

/** The settings that the routes look at. */
type HttpSettings = Pick<GatewaySettings, "embedded" | "maxResultBytes"> & {
  /** Without a slash at its end; null where the server is known by the address that it is called at. */
  publicUrl: string | null;
  /** Origins of pages that may call the API from a browser; `*` alone for all. */
  corsOrigins: readonly string[];
  /** The key of requests to the node that bring none; null keeps them out. */
  openNodeKey: string | null;
  /** The rates of the deployment, for accounts and keys without their own. */
  limits: DeploymentLimits & { dashboardRequestsPerSecond: number };
  maxKeysPerAccount: number;
  newKeysPerDay: number;
  /** How long a sign-up after a deletion gets the limits of the account back. */
  deletedAccountMs: number;
  maxBodyBytes: number;
  maxConnections: number;
  connectionShare: number;
  maxHeaderBytes: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  maxHeldRequests: number;
  maxStreamMs: number;
  maxReadWaitMs: number;
  trustedProxies: readonly string[];
  liveWindowMs: number;
  maxLiveQueryLength: number;
  maxArchiveQueryLength: number;
  countDeadlineMs: number;
  maxCountBuckets: number;
  /** How much later than its deadline a job may still end. */
  deadlineGraceMs: number;
};

export type Dashboard = {
  version: string;
  cookies: DashboardCookies;
  csrf: CsrfTokens;
  sessions: SessionSettings;
  signIn: SignIn;
  /** How long a sign-in may take, and how many an address may begin. */
  signInLimits: { attemptMs: number; attemptsPerMinute: number };
};

/** Everything that the HTTP app needs, made in one place (server/context.ts). */
export type HttpContext = {
  settings: HttpSettings;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  limiter: Limiter;
  /** Accounts, keys, sessions and what is kept of them. */
  accounts: AccountStore;
  /** Ends what is under way of accounts that were suspended or deleted. */
  accountEnds: Pick<AccountEnds, "settle">;
  cursorKey: Uint8Array;
  jobs: Pick<
    JobQueue,
    | "submit"
    | "replayOf"
    | "find"
    | "takePage"
    | "isUnderWay"
    | "waitForEnd"
    | "cancel"
    | "list"
    | "changes"
  >;
  webhooks: Webhooks;
  archive: Pick<Archive, "accountsNamed" | "page" | "records" | "search" | "withheld">;
  /** The nodes of other processes. */
  nodes: NodeGateway;
  /** Which platforms can be asked, and for what. */
  sources: Sources;
  /** How people come in, and what they hold then. */
  dashboard: Dashboard;
  /** What accounts do with their own credentials of platforms. */
  credentials: AccountCredentials;
  /** What keys are used for. */
  usage: Pick<UsageRecorder, "noteRequest" | "noteKeyUse" | "flush">;
  /** How the service stands, for the dashboard. */
  statusBoard: StatusBoard;
  /** The posts that an account was shown under an ID that the archive does not know. */
  fetchedPosts(
    accountId: string,
    id: bigint,
  ): Promise<readonly { platform: Platform; uri: string }[]>;
  /** Counts posts of the archive until a deadline, Unix milliseconds; rejects with the signal's reason when that aborts. */
  countPosts(
    request: CountsRequest,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<SourceCounts>;
  /** State of the live stream; null when it is off. */
  ingest(): IngestState | null;
  /** State of the stream of a Mastodon server; null when it is off. */
  mastodonStream(): MastodonStreamState | null;
  /** Whether a reader of the archive answers. */
  readerAnswers(): Promise<boolean>;
  /** Whether the control store cannot be written for want of space. */
  isStoreFull(): boolean;
  /** A fresh UUID. */
  newId(): string;
};
