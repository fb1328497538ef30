import { randomBytes } from "node:crypto";
import {
  type AccountCredentials,
  createAccountCredentials,
} from "../../accounts/credentials/account-credentials.ts";
import type { Clock } from "../../lib/clock.ts";
import { createEncryptor } from "../../lib/encryption.ts";
import { createBlueskyUpstream } from "../../platforms/bluesky/upstream.ts";
import { createMastodonUpstream } from "../../platforms/mastodon/upstream.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import type { Upstream } from "../../platforms/upstream.ts";
import { createXUpstream } from "../../platforms/x/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import { type AnswerContext, answerJob } from "../../search/answer.ts";
import type { ArchiveSource } from "../../search/archive/search.ts";
import type { ShortSearchContext } from "../../search/archive-answer.ts";
import type { MergeableSearch } from "../../search/merge/merged-answer.ts";
import type { NodeCapabilities } from "../../search/node-capabilities.ts";
import { deploymentAccess } from "../../search/platform/deployment-access.ts";
import { releaseCredential } from "../../search/platform/release-credential.ts";
import {
  createSources,
  requestablePlatforms,
  type SourceAvailability,
} from "../../search/sources.ts";
import { createCredentialPool } from "../../upstream/credentials/create-pool.ts";
import type { ReleasedCredential } from "../../upstream/credentials/release.ts";
import { createSessions } from "../../upstream/requests/create-sessions.ts";
import type { RequestOutcome } from "../../upstream/requests/outgoing-request.ts";
import type { UpstreamJob } from "../../upstream/requests/sessions.ts";
import type { Config } from "../config.ts";
import type { Control } from "../control/control.ts";
import { credentialKinds } from "./credential-kinds.ts";
import { openUpstreamClient } from "./upstream-client.ts";

export type UpstreamRole = {
  answer(request: AnswerRequest, job: UpstreamJob): Promise<SourceAnswer>;
  /** Which sources can answer, on this server or a remote node. */
  sourcesWith(nodeCapabilities: NodeCapabilities): SourceAvailability;
  deploymentMethods(platform: Platform): ReturnType<typeof deploymentAccess>;
  requestablePlatformsFor(
    request: Pick<MergeableSearch, "platform" | "type" | "method">,
  ): Pick<ShortSearchContext, "requestableWithoutCredential" | "requestableWithCredential">;
  /** The deployment's token for the server. */
  mastodonToken(origin: string): Promise<string | null>;
  /** Releases a credential to a remote node. An empty account id excludes credentials of accounts. */
  release(
    platform: Platform,
    request: AnswerRequest,
    accountId: string,
  ): Promise<ReleasedCredential | null>;
  credentials: AccountCredentials;
  forgetAccount(accountId: string): void;
  stop(): Promise<void>;
};

export type UpstreamRoleContext = {
  config: Config;
  store: Control["store"];
  secretKey: Uint8Array;
  source: ArchiveSource;
  clock: Clock;
  random: () => number;
  onOutcome: (platform: Platform, outcome: RequestOutcome) => void;
  overrides?: Partial<Record<Platform, Upstream>>;
};

export function createUpstreamRole(context: UpstreamRoleContext): UpstreamRole {
  const { config, store, clock, source, random } = context;
  const settings = config.upstreams;
  const upstreams = { ...makePlatforms(config), ...context.overrides };
  const client = openUpstreamClient(config);
  const credentialContext = {
    store,
    encryptor: createEncryptor(context.secretKey, randomBytes),
    kinds: credentialKinds(config, client),
    clock,
    randomBytes,
  };
  const pool = createCredentialPool({ ...credentialContext, fetch: client.fetch });
  const credentials = createAccountCredentials({
    ...credentialContext,
    tools: { fetch: client.fetch, now: clock.now, randomBytes },
    check: pool.check,
    maxCredentials: settings.maxCredentials,
    settings,
  });
  const sessions = createSessions({
    pool,
    upstreams: Object.values(upstreams),
    fetch: client.fetch,
    store,
    clock,
    random,
    settings,
    onOutcome: context.onOutcome,
  });
  const answerContext: AnswerContext = { source, sessions, upstreams, settings };
  return {
    answer: (request, job) => answerJob(answerContext, request, job),
    sourcesWith: (nodeCapabilities) => createSources(answerContext, nodeCapabilities),
    deploymentMethods: (platform) => deploymentAccess(answerContext, platform),
    requestablePlatformsFor: (request) => requestablePlatforms(answerContext, request),
    mastodonToken: async (origin) => {
      const [pooledCredential] = await pool.choose({
        platform: "mastodon",
        // Only the deployment's credentials match.
        accountId: "",
        access: "user",
        ownership: "any",
        bucket: null,
        host: origin,
      });
      if (pooledCredential === undefined) return null;
      pool.recordUse(pooledCredential.credential.id);
      return pooledCredential.credentialInUse.secrets().token ?? null;
    },
    release: (platform, request, accountId) =>
      releaseCredential(
        { pool, upstream: upstreams[platform], nowMs: clock.now() },
        request,
        accountId,
      ),
    credentials,
    forgetAccount: pool.forgetAccount,
    stop: async () => {
      await credentials.stop();
      await pool.stop();
      await client.close();
    },
  };
}

function makePlatforms({ upstreams: settings, ingest }: Config): Record<Platform, Upstream> {
  return {
    bluesky: createBlueskyUpstream({
      appviewUrl: ingest.appviewUrl,
      labelers: ingest.labelerSources,
      usesPublicApi: settings.blueskyPublic === "on",
      isSearchEnabled: settings.blueskySearch === "on",
      feed: settings.blueskyFeed,
    }),
    mastodon: createMastodonUpstream({ instance: settings.mastodonInstance }),
    x: createXUpstream({
      apiUrl: settings.xApiUrl,
      trendsWoeid: settings.xTrendsWoeid,
      isRedistributionAgreed: settings.xRedistributionAgreed === "true",
    }),
  };
}
