import type { Clock } from "../../lib/clock.ts";
import { collectionNsid } from "../../platforms/bluesky/collections.ts";
import { type JetstreamPosition, resumeUs } from "./position.ts";
import type { JetstreamSettings } from "./settings.ts";

const minStepUs = 100_000;

export type JetstreamCursor = {
  makeUrl(urlIndex: number, position: JetstreamPosition | null, withCompression: boolean): URL;
  /** Moves the start past an oversized event in growing steps, because its end is unknown. */
  skipLargeEvent(server: string, reachUs: number | null): { fromUs: number; toUs: number } | null;
  recordProgress(): void;
  isFirstStep(): boolean;
};

export function createJetstreamCursor(settings: JetstreamSettings, clock: Clock): JetstreamCursor {
  const { lookbackMs, overlapMs, urls, followed, maxFrameBytes } = settings;
  const firstUs = lookbackMs > 0 ? (clock.now() - lookbackMs) * 1000 : null;
  let skipped: { server: string; toUs: number } | null = null;
  let stepUs = minStepUs;

  function cursorFor(server: string, position: JetstreamPosition | null): number | null {
    const skippedUs = skipped?.server === server ? skipped.toUs : null;
    if (position === null) return skippedUs ?? firstUs;
    return Math.max(resumeUs(position, server, overlapMs), skippedUs ?? 0);
  }

  return {
    makeUrl(urlIndex, position, withCompression) {
      const url = new URL(urls[urlIndex % urls.length] ?? "");
      for (const word of followed)
        url.searchParams.append("wantedCollections", collectionNsid(word));
      url.searchParams.set("maxMessageSizeBytes", String(maxFrameBytes));
      if (withCompression) url.searchParams.set("compress", "true");
      const cursorUs = cursorFor(url.host, position);
      if (cursorUs !== null) url.searchParams.set("cursor", String(cursorUs));
      return url;
    },
    skipLargeEvent(server, reachUs) {
      const fromUs = reachUs ?? firstUs;
      if (fromUs === null) return null;
      const toUs = Math.min(fromUs + stepUs, clock.now() * 1000);
      stepUs *= 2;
      skipped = { server, toUs };
      return { fromUs, toUs };
    },
    recordProgress: () => {
      stepUs = minStepUs;
    },
    isFirstStep: () => stepUs === minStepUs,
  };
}
