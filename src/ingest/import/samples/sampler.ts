import type { Store } from "../../../db/operations.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Platform } from "../../../posts/post.ts";
import type { IngestState, MastodonStreamState } from "../../ingest-state.ts";
import type { IngestSample, SampleOperations } from "./operations.ts";

const bucketLengthMs = 300_000;

export type Sampler = {
  postsPerSecond(platform: Platform): number | null;
  start(): void;
  stop(): Promise<void>;
};

export type SamplerContext = {
  store: Pick<Store<SampleOperations>, "write">;
  clock: Clock;
  retentionMs: number;
  bluesky(): IngestState | null;
  mastodon(): MastodonStreamState | null;
  onError(error: unknown): void;
};

const readIntervalMs = 1_000;
const writeIntervalMs = 60_000;
const sweepIntervalMs = 3_600_000;
const rateWindowMs = 60_000;
const maxPendingSamples = 1_152;

type Reading = { atMs: number; posts: number };
type StreamState = { platform: Platform; lagMs: number | null; posts: number };

export function createSampler(context: SamplerContext): Sampler {
  const { store, clock, onError } = context;
  const stopping = new AbortController();
  const readings = new Map<Platform, Reading[]>();
  const pendingSamples = new Map<string, IngestSample>();
  let loop: Promise<unknown> = Promise.resolve();

  function streamStates(): readonly StreamState[] {
    const bluesky = context.bluesky();
    const mastodon = context.mastodon();
    return [
      ...(bluesky === null
        ? []
        : [{ platform: "bluesky" as const, lagMs: bluesky.lagMs, posts: bluesky.posts }]),
      ...(mastodon === null
        ? []
        : [{ platform: "mastodon" as const, lagMs: null, posts: mastodon.posts }]),
    ];
  }

  function takeReading(): void {
    const atMs = clock.elapsed();
    const nowMs = clock.now();
    for (const { platform, lagMs, posts } of streamStates()) {
      const previousReadings = readings.get(platform) ?? [];
      // A restarted stream counts from zero; its first reading adds nothing.
      const previousPosts = Math.min(previousReadings.at(-1)?.posts ?? 0, posts);
      const recentReadings = previousReadings.filter(
        (reading) => atMs - reading.atMs <= rateWindowMs && reading.posts <= posts,
      );
      readings.set(platform, [...recentReadings, { atMs, posts }]);
      addSample({
        platform,
        bucketMs: nowMs - (nowMs % bucketLengthMs),
        lagMs,
        posts: posts - previousPosts,
      });
    }
  }

  function addSample(sample: IngestSample): void {
    const key = `${sample.platform} ${sample.bucketMs}`;
    const pendingSample = pendingSamples.get(key);
    if (pendingSample === undefined && sample.lagMs === null && sample.posts === 0) return;
    pendingSamples.set(key, {
      ...sample,
      lagMs: maxOrNull(pendingSample?.lagMs ?? null, sample.lagMs),
      posts: (pendingSample?.posts ?? 0) + sample.posts,
    });
    for (const oldestKey of pendingSamples.keys()) {
      if (pendingSamples.size <= maxPendingSamples) return;
      pendingSamples.delete(oldestKey);
    }
  }

  async function write(): Promise<void> {
    const samples = [...pendingSamples.values()];
    if (samples.length === 0) return;
    pendingSamples.clear();
    try {
      await store.write("addIngestSamples", { samples });
    } catch (error) {
      for (const sample of samples) addSample(sample);
      onError(error);
    }
  }

  async function runLoop(): Promise<void> {
    let lastWriteMs = clock.elapsed();
    let lastSweepMs = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      takeReading();
      if (clock.elapsed() - lastWriteMs >= writeIntervalMs) {
        lastWriteMs = clock.elapsed();
        await write();
      }
      if (clock.elapsed() - lastSweepMs >= sweepIntervalMs) {
        lastSweepMs = clock.elapsed();
        const beforeMs = clock.now() - context.retentionMs;
        await store.write("dropIngestSamples", { beforeMs }).catch(onError);
      }
      await clock.sleep(readIntervalMs, stopping.signal).catch(() => undefined);
    }
  }

  function postsPerSecond(platform: Platform): number | null {
    const recentReadings = readings.get(platform) ?? [];
    const [first] = recentReadings;
    const last = recentReadings.at(-1);
    if (first === undefined || last === undefined || last.atMs <= first.atMs) return null;
    return ((last.posts - first.posts) * 1_000) / (last.atMs - first.atMs);
  }

  return {
    postsPerSecond,
    start: () => {
      loop = runLoop();
    },
    stop: async () => {
      stopping.abort();
      await loop;
      takeReading();
      await write();
    },
  };
}

const maxOrNull = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
