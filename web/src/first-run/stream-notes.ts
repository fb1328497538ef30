import type { PlatformStatus } from "../../../src/http/dashboard/contract/status.ts";
import { platformNames } from "../platforms.ts";

export type StreamNote = { title: string; isDown: boolean; texts: readonly string[] };

/** Whether posts are about to arrive, and otherwise why not and what to do. */
export function streamNotes(platforms: readonly PlatformStatus[]): readonly StreamNote[] {
  const streams = platforms.flatMap(({ platform, mode, stream }) =>
    mode === "streamed" && stream !== null ? [{ name: platformNames[platform], stream }] : [],
  );
  if (streams.length === 0) return [noStream];
  return streams.map(({ name, stream }): StreamNote => {
    const { status, detail, host } = stream;
    const reason = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
    if (status === "connected") {
      return {
        title: `The ${name} stream is connected`,
        isDown: false,
        texts: ["The first posts will arrive within seconds."],
      };
    }
    if (status === "paused") {
      return {
        title: `The ${name} stream is paused`,
        isDown: true,
        texts: [reason, "It resumes automatically. Check the free disk space and the server log."],
      };
    }
    const target = host ?? "the stream’s server";
    return {
      title: `The ${name} stream is not connected`,
      isDown: true,
      texts: [
        reason,
        `Earshot retries automatically. Check that this machine can reach ${target}: network, firewall, proxy.`,
      ],
    };
  });
}

const noStream: StreamNote = {
  title: "No stream is configured",
  isDown: true,
  texts: ["Set EARSHOT_INGEST=bluesky and restart Earshot, or import posts."],
};
