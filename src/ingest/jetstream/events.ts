import type { Clock } from "../../lib/clock.ts";
import type { FollowedCollection } from "../../platforms/bluesky/collections.ts";
import { readStreamEvent } from "../../platforms/bluesky/stream-event.ts";
import type { StreamItem } from "../streams/batches.ts";
import type { FrameText } from "../streams/frames.ts";
import { createRecentKeys } from "../streams/recent-keys.ts";
import { isCountedBefore, type JetstreamPosition } from "./position.ts";

/** Resuming further in the future would skip all events before then. */
const maxAheadMs = 86_400_000;

type AcceptedEvent = StreamItem & { renamed: string | null };

export type JetstreamEventReaderOptions = {
  clock: Clock;
  random: () => number;
  followed: ReadonlySet<FollowedCollection>;
  maxRememberedEvents: number;
  saved: JetstreamPosition | null;
};

export type JetstreamEventReader = (frame: FrameText, server: string) => AcceptedEvent | null;

/**
 * Null for a frame that is unreadable or too far ahead. A repeated event only advances the time.
 */
export function createJetstreamEventReader(
  options: JetstreamEventReaderOptions,
): JetstreamEventReader {
  const { clock, followed, saved } = options;
  const recent = createRecentKeys(options.maxRememberedEvents, options.random);
  return (frame, server) => {
    if (typeof frame === "string") return null;
    const event = readStreamEvent(frame.text, followed);
    if ("reason" in event || event.timeUs > (clock.now() + maxAheadMs) * 1000) return null;
    const { timeUs, key, change, counted, renamed } = event;
    if (!recent.add(key)) return { timeUs, changes: [], countIncrements: [], renamed: null };
    return {
      timeUs,
      changes: change === null ? [] : [change],
      countIncrements: isCountedBefore(saved, event, server) ? [] : counted,
      renamed,
    };
  };
}
