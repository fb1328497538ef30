import type { Clock } from "../../lib/clock.ts";
import { collectionNsid } from "../../platforms/bluesky/collections.ts";
import { type JetstreamPosition, resumeUs } from "./position.ts";
import type { JetstreamSettings } from "./settings.ts";

const minStepUs = 100_000;

export type JetstreamCursor = {
  makeUrl(urlIndex: number, position: JetstreamPosition | null, isCompressed: boolean): URL;
  /** Moves the start past an oversized event in growing steps, because its end is unknown. */
  skipLargeEvent(server: string, reachedUs: number | null): { fromUs: number; toUs: number } | null;
  recordProgress(): void;
  isFirstStep(): boolean;
};

export function createJetstreamCursor(settings: JetstreamSettings, clock: Clock): JetstreamCursor {
  const { lookbackMs, overlapMs, urls, followed, maxFrameBytes } = settings;
  const firstUs = lookbackMs > 0 ? (clock.now() - lookbackMs) * 1000 : null;
  let lastSkip: { server: string; toUs: number } | null = null;
  let stepUs = minStepUs;

  function cursorFor(server: string, position: JetstreamPosition | null): number | null {
    const skippedUs = lastSkip?.server === server ? lastSkip.toUs : null;
    if (position === null) return skippedUs ?? firstUs;
    return Math.max(resumeUs(position, server, overlapMs), skippedUs ?? 0);
  }

  return {
    makeUrl(urlIndex, position, isCompressed) {
      const url = new URL(urls[urlIndex % urls.length] ?? "");
      for (const collection of followed)
        url.searchParams.append("wantedCollections", collectionNsid(collection));
      url.searchParams.set("maxMessageSizeBytes", String(maxFrameBytes));
      if (isCompressed) url.searchParams.set("compress", "true");
      const cursorUs = cursorFor(url.host, position);
      if (cursorUs !== null) url.searchParams.set("cursor", String(cursorUs));
      return url;
    },
    skipLargeEvent(server, reachedUs) {
      const fromUs = reachedUs ?? firstUs;
      if (fromUs === null) return null;
      const toUs = Math.min(fromUs + stepUs, clock.now() * 1000);
      stepUs *= 2;
      lastSkip = { server, toUs };
      return { fromUs, toUs };
    },
    recordProgress: () => {
      stepUs = minStepUs;
    },
    isFirstStep: () => stepUs === minStepUs,
  };
}
