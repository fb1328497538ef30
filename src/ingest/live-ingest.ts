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
  known: KnownDictionary;
  timeoutMs: number;
  signal: AbortSignal;
};

/**
 * Fetches the dictionary once, verifies its hash and stores it. Errors: `dictionary_unavailable`.
 */
export async function loadDictionary(request: DictionaryRequest): Promise<Buffer> {
  const { path, url, known } = request;
  const stored = await readFile(path).catch(() => null);
  if (stored !== null && isKnown(stored, known)) return stored;
  const { status, body } = await request.fetch(url, {
    signal: request.signal,
    maxBytes: known.bytes,
    timeoutMs: request.timeoutMs,
  });
  if (status !== 200) throw unavailable(`${new URL(url).host} returned HTTP ${status}`);
  const fetched = Buffer.from(body);
  if (!isKnown(fetched, known)) {
    throw unavailable(`${new URL(url).host} did not send dictionary ${known.id}`);
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.part`, fetched, { mode: 0o600 });
  await rename(`${path}.part`, path);
  return fetched;
}

function isKnown(bytes: Buffer, known: KnownDictionary): boolean {
  if (bytes.length !== known.bytes || bytes.readUInt32LE(0) !== magic) return false;
  if (bytes.readUInt32LE(4) !== known.id) return false;
  return createHash("sha256").update(bytes).digest("hex") === known.sha256;
}

const unavailable = (message: string): EarshotError =>
  new EarshotError("dictionary_unavailable", message, { retryable: true });
