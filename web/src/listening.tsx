import "./listening.css";
import { Link } from "wouter";
import type { StatusResponse } from "../../src/http/dashboard/contract/status.ts";
import { listeningText } from "./listening-text.ts";
import { useApi } from "./use-api.ts";

/** Same interval as the Status page, so that both agree. */
const everyMs = 10_000;

export function ListeningLine() {
  const { data, problem } = useApi<StatusResponse>("/dashboard/api/status?range=24h", everyMs);
  if (data === undefined && problem === undefined) return null;
  const { isLive, text } =
    data === undefined || problem !== undefined ? unknown : listeningText(data.platforms);
  return (
    <Link href="/status">
      <span className="live" data-tone={isLive ? undefined : "caution"} />
      {text}
    </Link>
  );
}

const unknown = { isLive: false, text: "Status unknown" };
