import { join } from "node:path";
import type { Archive } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";
import { createGuard } from "../lib/guard.ts";
import { createGuardedFetch } from "../lib/guarded-fetch.ts";
import type { IngestLog } from "./ingest-log.ts";
import { defaultIngestSettings, type IngestSettings } from "./ingest-settings.ts";
import type { IngestState } from "./ingest-state.ts";
import { startAccountLookup } from "./jetstream/account-lookup.ts";
import { startJetstream } from "./jetstream/jetstream.ts";
import { startLabeler } from "./jetstream/labeler.ts";
import { userAgent } from "./jetstream/settings.ts";
import { jetstreamDictionary, loadDictionary } from "./streams/dictionary.ts";

export type Ingest = {
  state(): IngestState;
  stop(): Promise<void>;
};

export type IngestRequest = {
  archive: Pick<Archive, "write" | "readCheckpoint" | "accountsToLookUp">;
  clock: Clock;
  random: () => number;
  settings: IngestSettings;
  dataDir: string;
  log: IngestLog;
};

const maxRedirects = 3;

export function startIngest(request: IngestRequest): Ingest {
  const { archive, clock, random, settings, log } = request;
  const publicUrls = [defaultIngestSettings.appviewUrl, defaultIngestSettings.dictionaryUrl];
  const configured = [settings.appviewUrl, settings.dictionaryUrl].filter(
    (url) => !publicUrls.includes(url),
  );
  const client = createGuardedFetch({
    guard: createGuard(configured),
    userAgent,
    timeoutMs: settings.fetchTimeoutMs,
    maxBytes: settings.maxResponseBytes,
    maxRedirects,
  });
  const parts = { archive, clock, random, log };
  const lookUp =
    settings.lookUp === "off"
      ? null
      : startAccountLookup({
          ...parts,
          fetch: client,
          settings: {
            ...settings,
            appViewUrl: settings.appviewUrl,
            ageMs: settings.lookUpAgeMs,
            requestsPerSecond: settings.lookUpsPerSecond,
            sources: settings.labelerSources,
            timeoutMs: settings.fetchTimeoutMs,
            maxBytes: settings.maxResponseBytes,
          },
        });
  const stream = startJetstream({
    ...parts,
    settings: { ...settings, userAgent },
    dictionary: (signal) =>
      loadDictionary({
        path: join(request.dataDir, "jetstream.zdict"),
        url: settings.dictionaryUrl,
        fetch: client,
        known: jetstreamDictionary,
        timeoutMs: settings.fetchTimeoutMs,
        signal,
      }),
    onRenamed: (account) => lookUp?.enqueue(account),
  });
  const labelers = settings.labelerUrls.map((url) =>
    startLabeler({
      ...parts,
      url,
      settings: {
        ...settings,
        sources: settings.labelerSources,
        start: settings.labelerStart,
        maxLabels: settings.maxLabelsOfFrame,
        userAgent,
      },
    }),
  );
  return {
    state: () => ({
      ...stream.state(),
      labelers: labelers.map((labeler) => labeler.state()),
      lookUp: lookUp?.state() ?? null,
    }),
    stop: async () => {
      const stopped = [stream.stop(), lookUp?.stop(), ...labelers.map((part) => part.stop())];
      await Promise.all(stopped);
      await client.close();
    },
  };
}
