import { randomUUID } from "node:crypto";
import {
  type AccountFinalizer,
  createAccountFinalizer,
} from "../../accounts/admin/account-finalizer.ts";
import { embeddedNodeId } from "../../jobs/leases/lease.ts";
import { createJobQueue, type JobQueue } from "../../jobs/queue.ts";
import type { ShortSearches } from "../../jobs/submissions/answered-submissions.ts";
import type { Sender } from "../../jobs/webhooks/sender.ts";
import type { Webhooks } from "../../jobs/webhooks/webhooks.ts";
import { byPlatform } from "../../posts/post.ts";
import { createUsageRole, type UsageRole } from "../roles/usage.ts";
import { createWebhookRole } from "../roles/webhooks.ts";
import { packageVersion } from "../version.ts";
import type { Base } from "./base.ts";
import type { Routing } from "./routing.ts";
import type { Search } from "./search.ts";

export type Jobs = {
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly sender: Sender;
  readonly usage: UsageRole;
  readonly accountFinalizer: AccountFinalizer;
};

export function makeJobs(base: Base, search: Search, { runningJobs, router }: Routing): Jobs {
  const { config, store, clock, log, events, random, secrets, sharing, warn } = base;
  const { gateway } = sharing;
  const queue = createJobQueue({
    store,
    clock,
    randomUuid: randomUUID,
    settings: config.jobs,
    localNodeId: config.jobs.fastPath === "on" ? embeddedNodeId : null,
    shortSearches: makeShortSearches(base, search),
    running: runningJobs,
    gateway,
    onForeignEnd: () => sender.wake(),
    hasNodeFor: router.hasNodeFor,
    hasOtherNodeFor: router.hasNodeFor,
    onFailedAttempt: (attempt) => events.emit("attemptFailed", attempt),
    onEnd: (ended) => events.emit("jobEnded", ended),
    onError: (error) => warn(error, "the job sweep failed"),
  });
  const { webhooks, sender } = createWebhookRole({
    settings: config.webhooks,
    store,
    secretKey: secrets.secretKey,
    clock,
    random,
    log,
    version: packageVersion(),
    isLeader: gateway.isLeader,
    onError: warn,
    onOutcome: (outcome, deliveries) => events.emit("deliveriesEnded", { outcome, deliveries }),
  });
  const { ingest } = search;
  const usage = createUsageRole({ settings: config.usage, store, clock, log, ingest });
  const accountFinalizer = createAccountFinalizer({
    store,
    jobs: queue,
    clock,
    onDeleted: (accountId) => events.emit("accountDeleted", { accountId }),
    onError: (error) => warn(error, "the ended-account sweep failed"),
  });
  events.on("jobEnded", ({ uuid, method, state, attempts, node, ms }) =>
    log.info({ uuid, method, state, attempts, node, ms }, "job ended"),
  );
  events.on("jobEnded", usage.recorder.recordSearch);
  events.on("jobEnded", ({ hasDeliveries }) => {
    if (hasDeliveries) sender.wake();
  });
  return { queue, webhooks, sender, usage, accountFinalizer };
}

/** Short searches are answered in the commit of their submission. */
function makeShortSearches(
  { archive, events, sharing }: Base,
  { ingest, source, upstreams }: Search,
): ShortSearches {
  const { streamedPlatforms, coverageSlackMs, liveSinceMs } = source;
  return {
    makeContext: (request) => ({
      ...upstreams.requestablePlatformsFor(request),
      streamedPlatforms,
      coverageSlackMs,
      liveSinceMs: byPlatform(liveSinceMs),
      isMastodonFollowed: ingest.mastodonState() !== null,
      hasRecords: sharing.gateway.isShared,
    }),
    version: () => archive.version(),
    onAnswered: ({ method }, ms) => events.emit("shortSearchAnswered", { method, ms }),
    onSkipped: (reason) => events.emit("shortSearchSkipped", { reason }),
  };
}
