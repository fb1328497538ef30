import type { Clock } from "../../lib/clock.ts";
import type { StreamCollection } from "../../platforms/bluesky/collections.ts";
import { readStreamEvent } from "../../platforms/bluesky/stream-event.ts";
import type { StreamItem } from "../streams/batches.ts";
import type { FrameText } from "../streams/frames.ts";
import { createRecentKeys } from "../streams/recent-keys.ts";
import { isCountedBefore, type JetstreamPosition } from "./position.ts";

/** A position further ahead would skip all events before it. */
const maxAheadMs = 86_400_000;

type AcceptedEvent = StreamItem & { accountToRefresh: string | null };

export type JetstreamEventReaderOptions = {
  clock: Clock;
  random: () => number;
  followed: ReadonlySet<StreamCollection>;
  maxRememberedEvents: number;
  savedPosition: JetstreamPosition | null;
};

export type JetstreamEventReader = (frame: FrameText, server: string) => AcceptedEvent | null;

/**
 * Null for a frame that is unreadable or too far ahead. A repeated event only advances the time.
 */
export function createJetstreamEventReader(
  options: JetstreamEventReaderOptions,
): JetstreamEventReader {
  const { clock, followed, savedPosition } = options;
  const recentKeys = createRecentKeys(options.maxRememberedEvents, options.random);
  return (frame, server) => {
    if (typeof frame === "string") return null;
    const event = readStreamEvent(frame.text, followed);
    if ("reason" in event || event.timeUs > (clock.now() + maxAheadMs) * 1000) return null;
    const { timeUs, key, change, counted, accountToRefresh } = event;
    if (!recentKeys.add(key))
      return { timeUs, changes: [], countIncrements: [], accountToRefresh: null };
    return {
      timeUs,
      changes: change === null ? [] : [change],
      countIncrements: isCountedBefore(savedPosition, event, server) ? [] : counted,
      accountToRefresh,
    };
  };
}
