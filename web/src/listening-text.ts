import type { PlatformStatus } from "../../src/http/dashboard/contract/status.ts";
import { lagText } from "./numbers.ts";
import { platformNames } from "./platforms.ts";

export type Listening = { isLive: boolean; text: string };

/** A greater lag counts as catching up. */
export const lateMs = 60_000;

/** Summarises the streams by the worst one. */
export function listeningText(platforms: readonly PlatformStatus[]): Listening {
  const streamed = platforms.flatMap(({ platform, mode, stream }) =>
    mode === "streamed" && stream !== null && stream.status !== "off" ? [{ platform, stream }] : [],
  );
  if (streamed.length === 0) return withoutStream(platforms);
  const disconnected = streamed.find(({ stream }) => stream.status !== "connected");
  if (disconnected !== undefined) {
    const how = disconnected.stream.status === "paused" ? "paused" : "not connected";
    return { isLive: false, text: `${platformNames[disconnected.platform]} ${how}` };
  }
  const lagsMs = streamed.flatMap(({ stream }) => (stream.lag_ms === null ? [] : [stream.lag_ms]));
  if (lagsMs.length === 0) return { isLive: true, text: "Listening" };
  const lagMs = Math.max(...lagsMs);
  if (lagMs > lateMs) return { isLive: false, text: `Catching up, ${lagText(lagMs)} behind` };
  return { isLive: true, text: `Listening, ${lagText(lagMs)} behind` };
}

function withoutStream(platforms: readonly PlatformStatus[]): Listening {
  return platforms.some(({ mode }) => mode === "live")
    ? { isLive: true, text: "No streams, searched live" }
    : { isLive: false, text: "No streams" };
}
