import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Archive } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import { createGuard } from "../lib/guard.ts";
import { createGuardedFetch, type GuardedFetch } from "../lib/guarded-fetch.ts";
import type { IngestLog } from "./ingest-log.ts";
import { defaultIngestSettings, type IngestSettings } from "./ingest-settings.ts";
import type { IngestState } from "./ingest-state.ts";
import { startAccountLookup } from "./jetstream/account-lookup.ts";
import { startJetstream } from "./jetstream/jetstream.ts";
import { startLabeler } from "./jetstream/labeler.ts";
import { userAgent } from "./jetstream/settings.ts";

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
  const customUrls = [settings.appviewUrl, settings.dictionaryUrl].filter(
    (url) => !publicUrls.includes(url),
  );
  const client = createGuardedFetch({
    guard: createGuard(customUrls),
    userAgent,
    timeoutMs: settings.fetchTimeoutMs,
    maxBytes: settings.maxResponseBytes,
    maxRedirects,
  });
  const dependencies = { archive, clock, random, log };
  const accountLookup =
    settings.lookUp === "off"
      ? null
      : startAccountLookup({
          ...dependencies,
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
    ...dependencies,
    settings: { ...settings, userAgent },
    dictionary: (signal) =>
      loadDictionary({
        path: join(request.dataDir, "jetstream.zdict"),
        url: settings.dictionaryUrl,
        fetch: client,
        expectedDictionary: jetstreamDictionary,
        timeoutMs: settings.fetchTimeoutMs,
        signal,
      }),
    refreshAccount: (account) => accountLookup?.enqueue(account),
  });
  const labelers = settings.labelerUrls.map((url) =>
    startLabeler({
      ...dependencies,
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
      lookUp: accountLookup?.state() ?? null,
    }),
    stop: async () => {
      const stopPromises = [
        stream.stop(),
        accountLookup?.stop(),
        ...labelers.map((part) => part.stop()),
      ];
      await Promise.all(stopPromises);
      await client.close();
    },
  };
}

export type KnownDictionary = { id: number; bytes: number; sha256: string };

const jetstreamDictionary: KnownDictionary = {
  id: 1_612_007_021,
  bytes: 112_640,
  sha256: "b8d77b46933aceecbdd5275a01241efc985c970c78162b8150cf67a26522f70c",
};

const magic = 0xec30a437;

export type DictionaryRequest = {
  path: string;
  url: string;
  fetch: GuardedFetch;
  expectedDictionary: KnownDictionary;
  timeoutMs: number;
  signal: AbortSignal;
};

/**
 * Fetches the dictionary once, verifies its hash and stores it. Errors: `dictionary_unavailable`.
 */
export async function loadDictionary(request: DictionaryRequest): Promise<Buffer> {
  const { path, url, expectedDictionary } = request;
  const storedDictionary = await readFile(path).catch(() => null);
  if (storedDictionary !== null && isExpectedDictionary(storedDictionary, expectedDictionary))
    return storedDictionary;
  const { status, body } = await request.fetch(url, {
    signal: request.signal,
    maxBytes: expectedDictionary.bytes,
    timeoutMs: request.timeoutMs,
  });
  if (status !== 200) throw dictionaryUnavailable(`${new URL(url).host} returned HTTP ${status}`);
  const fetchedDictionary = Buffer.from(body);
  if (!isExpectedDictionary(fetchedDictionary, expectedDictionary)) {
    throw dictionaryUnavailable(
      `${new URL(url).host} did not send dictionary ${expectedDictionary.id}`,
    );
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.part`, fetchedDictionary, { mode: 0o600 });
  await rename(`${path}.part`, path);
  return fetchedDictionary;
}

function isExpectedDictionary(bytes: Buffer, expected: KnownDictionary): boolean {
  if (bytes.length !== expected.bytes || bytes.readUInt32LE(0) !== magic) return false;
  if (bytes.readUInt32LE(4) !== expected.id) return false;
  return createHash("sha256").update(bytes).digest("hex") === expected.sha256;
}

const dictionaryUnavailable = (message: string): EarshotError =>
  new EarshotError("dictionary_unavailable", message, { retryable: true });
