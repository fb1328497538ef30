import type { Store } from "../../../db/operations.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Platform } from "../../../posts/post.ts";
import type { IngestState, MastodonStreamState } from "../../ingest-state.ts";
import type { IngestSample, SampleOperations } from "./operations.ts";

const sampleMs = 300_000;

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

const readEveryMs = 1_000;
const writeEveryMs = 60_000;
const sweepEveryMs = 3_600_000;
const rateMs = 60_000;
const maxWaiting = 1_152;

type Reading = { atMs: number; posts: number };
type State = { platform: Platform; lagMs: number | null; posts: number };

export function createSampler(context: SamplerContext): Sampler {
  const { store, clock, onError } = context;
  const stopping = new AbortController();
  const readings = new Map<Platform, Reading[]>();
  const waiting = new Map<string, IngestSample>();
  let working: Promise<unknown> = Promise.resolve();

  function states(): readonly State[] {
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
    for (const { platform, lagMs, posts } of states()) {
      const seen = readings.get(platform) ?? [];
      // A restarted stream counts from zero; that reading adds nothing.
      const before = Math.min(seen.at(-1)?.posts ?? 0, posts);
      const recent = seen.filter((one) => atMs - one.atMs <= rateMs && one.posts <= posts);
      readings.set(platform, [...recent, { atMs, posts }]);
      gather({ platform, bucketMs: nowMs - (nowMs % sampleMs), lagMs, posts: posts - before });
    }
  }

  function gather(sample: IngestSample): void {
    const key = `${sample.platform} ${sample.bucketMs}`;
    const pending = waiting.get(key);
    if (pending === undefined && sample.lagMs === null && sample.posts === 0) return;
    waiting.set(key, {
      ...sample,
      lagMs: maxOf(pending?.lagMs ?? null, sample.lagMs),
      posts: (pending?.posts ?? 0) + sample.posts,
    });
    for (const oldest of waiting.keys()) {
      if (waiting.size <= maxWaiting) return;
      waiting.delete(oldest);
    }
  }

  async function write(): Promise<void> {
    const samples = [...waiting.values()];
    if (samples.length === 0) return;
    waiting.clear();
    try {
      await store.write("addIngestSamples", { samples });
    } catch (error) {
      for (const sample of samples) gather(sample);
      onError(error);
    }
  }

  async function sampleRegularly(): Promise<void> {
    let writtenMs = clock.elapsed();
    let sweptMs = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      takeReading();
      if (clock.elapsed() - writtenMs >= writeEveryMs) {
        writtenMs = clock.elapsed();
        await write();
      }
      if (clock.elapsed() - sweptMs >= sweepEveryMs) {
        sweptMs = clock.elapsed();
        const beforeMs = clock.now() - context.retentionMs;
        await store.write("dropIngestSamples", { beforeMs }).catch(onError);
      }
      await clock.sleep(readEveryMs, stopping.signal).catch(() => undefined);
    }
  }

  function postsPerSecond(platform: Platform): number | null {
    const seen = readings.get(platform) ?? [];
    const [first] = seen;
    const last = seen.at(-1);
    if (first === undefined || last === undefined || last.atMs <= first.atMs) return null;
    return ((last.posts - first.posts) * 1_000) / (last.atMs - first.atMs);
  }

  return {
    postsPerSecond,
    start: () => {
      working = sampleRegularly();
    },
    stop: async () => {
      stopping.abort();
      await working;
      takeReading();
      await write();
    },
  };
}

const maxOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
