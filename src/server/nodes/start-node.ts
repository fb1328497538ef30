import type { Logger } from "pino";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { EarshotError } from "../../lib/errors.ts";
import type { Upstream } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { AttestationStatus } from "../../remote/worker/attest-loop.ts";
import { cleartextGatewayWarning } from "../cleartext.ts";
import type { Config } from "../config.ts";
import { createLog } from "../log.ts";
import { createIngestRole, createLiveSince } from "../roles/ingest.ts";
import { createUpstreamRole } from "../roles/upstreams.ts";
import { requireNodeSettings } from "../settings/require-node-settings.ts";
import { startLine } from "../start-line.ts";
import { requireStartResources } from "../start-resources.ts";
import { startRunners } from "../start-runners.ts";
import { closeStores, openStores, type Stores } from "../stores.ts";
import { streamedPlatforms } from "../streamed-platforms.ts";
import { watchCompaction } from "../watches/compaction-watch.ts";
import { watchDamage } from "../watches/damage-watch.ts";
import { watchIngest } from "../watches/ingest-watch.ts";
import { listCapabilities } from "./capabilities.ts";
import { createStatusLog, withoutJobErrors } from "./node-status.ts";
import { hostName, startNodeWorker } from "./node-worker.ts";
import { stopNode } from "./stop-node.ts";

export type RemoteNode = {
  id: string;
  name: string;
  status(): AttestationStatus;
  finalRefusal: Promise<EarshotError>;
  /** Stops leasing; jobs have half a minute to end. */
  stop(): Promise<void>;
};

export type RemoteNodeOptions = {
  name?: string | undefined;
  onStatus?: (status: AttestationStatus) => void;
  clock?: Clock;
  log?: Logger;
  upstreams?: Partial<Record<Platform, Upstream>>;
};

/**
 * The node answers jobs with the credentials and archive of its own data folder. Does not wait for
 * the gateway. Errors: `invalid_setting`, those of `requireStartResources`, `startNodeWorker` and
 * the stores.
 */
export async function startRemoteNode(
  baseConfig: Config,
  { name, onStatus = () => undefined, ...overrides }: RemoteNodeOptions,
): Promise<RemoteNode> {
  const config = requireNodeSettings(baseConfig);
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLog(config.log.level);
  await requireStartResources(config.data);
  const stores = await openStores(config, clock);
  try {
    return await start(stores);
  } catch (error) {
    await closeStores(stores);
    throw error;
  }

  async function start({ control, archive, onWarning }: Stores): Promise<RemoteNode> {
    log.info(startLine(config), "starting a node");
    const warning = cleartextGatewayWarning(config.node);
    if (warning !== null) log.warn(warning);
    onWarning((message) => log.warn(message));
    await archive.verified();
    watchDamage(archive, log);
    const ingest = createIngestRole(config);
    const upstreams = createUpstreamRole({
      config,
      store: control.store,
      secretKey: control.secrets.secretKey,
      source: {
        archive,
        clock,
        streamedPlatforms: streamedPlatforms(config),
        coverageSlackMs: config.ingest.coverageSlackMs,
        freshness: ingest.freshness,
        liveSinceMs: createLiveSince(ingest),
      },
      clock,
      random: Math.random,
      onOutcome: () => undefined,
      overrides: overrides.upstreams ?? {},
    });
    const statusLog = createStatusLog(log);
    const worker = await startNodeWorker({
      config,
      name: name ?? hostName(),
      archive,
      capabilities: () => listCapabilities(config, upstreams, archive),
      clock,
      random: Math.random,
      log,
      onStatus: (status) => {
        statusLog.logStatus(status);
        onStatus(status);
      },
    }).catch(async (error: unknown) => {
      await upstreams.stop();
      throw error;
    });
    const { self, gateway, attestLoop } = worker;
    const watchController = new AbortController();
    const runner = startRunners(config.jobs, {
      gateway,
      answer: upstreams.answer,
      clock,
      nodeId: self.nodeId,
      log: withoutJobErrors(log),
    });
    ingest.start({ archive, clock, random: Math.random, log, upstreams });
    void watchIngest({ ...ingest, clock, log, signal: watchController.signal });
    void watchCompaction({ archive, clock, log, signal: watchController.signal });

    let stopPromise: Promise<void> | null = null;
    return {
      id: self.nodeId,
      name: worker.name,
      status: attestLoop.status,
      finalRefusal: statusLog.finalRefusal,
      stop: () => {
        watchController.abort();
        stopPromise ??= stopNode({
          worker,
          runner,
          ingest,
          upstreams,
          stores: { control, archive },
          clock,
          log,
        });
        return stopPromise;
      },
    };
  }
}
