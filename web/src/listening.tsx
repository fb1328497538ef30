import { Link } from "wouter";
import type { PlatformStatus, StatusAnswer } from "../../src/http/dashboard/contract.ts";
import { useApi } from "./use-api.ts";

const everyMs = 15_000;

/** Whether the archive hears what is said now, in one line that leads to the status. */
export function ListeningLine() {
  const { data, problem } = useApi<StatusAnswer>("/dashboard/api/status?range=24h", everyMs);
  if (data === undefined && problem === undefined) return null;
  const { isLive, text } = data === undefined ? unknown : said(data.platforms);
  return (
    <Link href="/status">
      <span className="live" data-tone={isLive ? undefined : "caution"} />
      {text}
    </Link>
  );
}

const unknown = { isLive: false, text: "Status unknown" };

function said(platforms: readonly PlatformStatus[]): { isLive: boolean; text: string } {
  const streams = platforms.flatMap(({ stream }) =>
    stream === null || stream.status === "off" ? [] : [stream],
  );
  if (streams.length === 0) return { isLive: false, text: "Listening is off" };
  const connected = streams.filter(({ status }) => status === "connected");
  if (connected.length < streams.length)
    return { isLive: false, text: "A stream is not connected" };
  const lagMs = Math.max(...connected.map((stream) => stream.lag_ms ?? 0));
  return { isLive: true, text: `Listening, ${(lagMs / 1_000).toFixed(1)} s behind` };
}
