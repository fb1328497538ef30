import type { PlatformStatus } from "../../src/http/dashboard/contract/status.ts";
import { lagText } from "./numbers.ts";
import { platformNames } from "./platforms.ts";

export type Listening = { isLive: boolean; text: string };

/** A greater lag counts as catching up. */
export const lagThresholdMs = 60_000;

/** Summarises the streams by the worst one. */
export function listeningText(platforms: readonly PlatformStatus[]): Listening {
  const streams = platforms.flatMap(({ platform, mode, stream }) =>
    mode === "streamed" && stream !== null && stream.status !== "off" ? [{ platform, stream }] : [],
  );
  if (streams.length === 0) return withoutStream(platforms);
  const disconnected = streams.find(({ stream }) => stream.status !== "connected");
  if (disconnected !== undefined) {
    const statusText = disconnected.stream.status === "paused" ? "paused" : "not connected";
    return { isLive: false, text: `${platformNames[disconnected.platform]} ${statusText}` };
  }
  const lagsMs = streams.flatMap(({ stream }) => (stream.lag_ms === null ? [] : [stream.lag_ms]));
  if (lagsMs.length === 0) return { isLive: true, text: "Listening" };
  const lagMs = Math.max(...lagsMs);
  if (lagMs > lagThresholdMs)
    return { isLive: false, text: `Catching up, ${lagText(lagMs)} behind` };
  return { isLive: true, text: `Listening, ${lagText(lagMs)} behind` };
}

function withoutStream(platforms: readonly PlatformStatus[]): Listening {
  return platforms.some(({ mode }) => mode === "live")
    ? { isLive: true, text: "No streams, searched live" }
    : { isLive: false, text: "No streams" };
}
