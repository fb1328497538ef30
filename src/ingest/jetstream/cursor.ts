import type { Clock } from "../../lib/clock.ts";
import { collectionOf } from "../../platforms/bluesky/collections.ts";
import { type JetstreamPosition, resumeUs } from "./position.ts";
import type { JetstreamSettings } from "./settings.ts";

/** The first step past an event that is too large; it doubles until something new comes. */
const leastStepUs = 100_000;

/** What to ask the servers for. */
export type JetstreamCursor = {
  /** The address of the server of this turn, to go on from a place. */
  urlOf(turn: number, place: JetstreamPosition | null, withCompression: boolean): URL;
  /**
   * Moves the start behind an event that a server sends though it is too large, in growing steps, as nobody knows where it
   * ends. `reachUs` is the last time that came; null when none ever did. Null when there is nothing to go on from.
   */
  passLargeEvent(server: string, reachUs: number | null): { fromUs: number; toUs: number } | null;
  /** Something new came: the next large event begins with the least step. */
  progressed(): void;
  /** Whether the next step is the first one for an event. */
  isFirstStep(): boolean;
};

export function createJetstreamCursor(settings: JetstreamSettings, clock: Clock): JetstreamCursor {
  const { lookbackMs, overlapMs, urls, followed, maxFrameBytes } = settings;
  const firstUs = lookbackMs > 0 ? (clock.now() - lookbackMs) * 1000 : null;
  let passed: { server: string; toUs: number } | null = null;
  let stepUs = leastStepUs;

  function cursorFor(server: string, place: JetstreamPosition | null): number | null {
    const passedUs = passed?.server === server ? passed.toUs : null;
    if (place === null) return passedUs ?? firstUs;
    return Math.max(resumeUs(place, server, overlapMs), passedUs ?? 0);
  }

  return {
    urlOf(turn, place, withCompression) {
      const url = new URL(urls[turn % urls.length] ?? "");
      for (const word of followed) url.searchParams.append("wantedCollections", collectionOf(word));
      url.searchParams.set("maxMessageSizeBytes", String(maxFrameBytes));
      if (withCompression) url.searchParams.set("compress", "true");
      const cursorUs = cursorFor(url.host, place);
      if (cursorUs !== null) url.searchParams.set("cursor", String(cursorUs));
      return url;
    },
    passLargeEvent(server, reachUs) {
      const fromUs = reachUs ?? firstUs;
      if (fromUs === null) return null;
      const toUs = Math.min(fromUs + stepUs, clock.now() * 1000);
      stepUs *= 2;
      passed = { server, toUs };
      return { fromUs, toUs };
    },
    progressed: () => {
      stepUs = leastStepUs;
    },
    isFirstStep: () => stepUs === leastStepUs,
  };
}
