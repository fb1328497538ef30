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
      const earlier = readings.get(platform) ?? [];
      // A restarted stream counts from zero; its first reading adds nothing.
      const previousPosts = Math.min(earlier.at(-1)?.posts ?? 0, posts);
      const recent = earlier.filter(
        (reading) => atMs - reading.atMs <= rateWindowMs && reading.posts <= posts,
      );
      readings.set(platform, [...recent, { atMs, posts }]);
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
    const pending = pendingSamples.get(key);
    if (pending === undefined && sample.lagMs === null && sample.posts === 0) return;
    pendingSamples.set(key, {
      ...sample,
      lagMs: maxOrNull(pending?.lagMs ?? null, sample.lagMs),
      posts: (pending?.posts ?? 0) + sample.posts,
    });
    for (const oldest of pendingSamples.keys()) {
      if (pendingSamples.size <= maxPendingSamples) return;
      pendingSamples.delete(oldest);
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
    let writtenMs = clock.elapsed();
    let sweptMs = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      takeReading();
      if (clock.elapsed() - writtenMs >= writeIntervalMs) {
        writtenMs = clock.elapsed();
        await write();
      }
      if (clock.elapsed() - sweptMs >= sweepIntervalMs) {
        sweptMs = clock.elapsed();
        const beforeMs = clock.now() - context.retentionMs;
        await store.write("dropIngestSamples", { beforeMs }).catch(onError);
      }
      await clock.sleep(readIntervalMs, stopping.signal).catch(() => undefined);
    }
  }

  function postsPerSecond(platform: Platform): number | null {
    const recent = readings.get(platform) ?? [];
    const [first] = recent;
    const last = recent.at(-1);
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
