import type { Logger } from "pino";
import { createUsageRecorder, type UsageRecorder } from "../../accounts/usage/recorder.ts";
import { createSampler, type Sampler } from "../../ingest/import/samples/sampler.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { Config } from "../config.ts";
import type { Control } from "../control/control.ts";
import { isStorageFull } from "../watches/store-watch.ts";
import type { IngestRole } from "./ingest.ts";

export type UsageRole = {
  recorder: UsageRecorder;
  sampler: Sampler;
  start(): void;
  stop(): Promise<void>;
};

export type UsageRoleContext = {
  settings: Config["usage"];
  store: Control["store"];
  clock: Clock;
  log: Pick<Logger, "warn">;
  ingest: Pick<IngestRole, "state" | "mastodonState">;
};

export function createUsageRole(context: UsageRoleContext): UsageRole {
  const { settings, store, clock, log, ingest } = context;

  function onError(error: unknown): void {
    if (isStorageFull(error)) return;
    log.warn({ error: errorMessage(error) }, "writing usage failed; the next write will retry");
  }

  const recorder = createUsageRecorder({
    store,
    clock,
    settings,
    onError,
    onLost: (calls) => log.warn({ calls }, "dropped call usage: too much is pending"),
  });
  const sampler = createSampler({
    store,
    clock,
    retentionMs: settings.retentionMs,
    bluesky: ingest.state,
    mastodon: ingest.mastodonState,
    onError,
  });
  return {
    recorder,
    sampler,
    start: () => {
      recorder.start();
      sampler.start();
    },
    stop: async () => {
      await Promise.all([recorder.stop(), sampler.stop()]);
    },
  };
}
