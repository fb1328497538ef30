import { asFields } from "../../platforms/fields.ts";
import { readLocalId } from "../../platforms/mastodon/account.ts";
import type { MastodonRequests } from "./requests.ts";
import type { MastodonStreamName } from "./settings.ts";

export type LastEvent = { statusId: string | null; timeMs: number };

export type CatchUpEnd = { stopReason: string | null };

const statusesPerPage = 40;
const overlapMs = 15 * 60_000;

/**
 * Reads the public timeline since an event, oldest first. The timeline lacks deletions, and edits
 * of older statuses.
 */
export async function catchUpTimeline(
  requests: MastodonRequests,
  request: {
    stream: MastodonStreamName;
    since: LastEvent;
    maxStatuses: number;
    signal: AbortSignal;
    onStatuses: (statuses: readonly unknown[]) => void;
  },
): Promise<CatchUpEnd> {
  const { stream, maxStatuses, signal, onStatuses } = request;
  let minId = getStart(request.since);
  if (minId === null) return { stopReason: "no status to continue from" };
  for (let readCount = 0; readCount < maxStatuses; ) {
    const query = new URLSearchParams({ min_id: minId, limit: String(statusesPerPage) });
    if (stream !== "public") query.set(stream === "public:local" ? "local" : "remote", "true");
    const response = await requests.get("/api/v1/timelines/public", query, signal);
    if (response.status !== 200) return { stopReason: `HTTP ${response.status}` };
    const statuses = readJsonList(response);
    if (statuses === null) return { stopReason: "the response is not a list of statuses" };
    onStatuses(statuses);
    readCount += statuses.length;
    const newestStatusId = newestId(statuses);
    if (
      statuses.length < statusesPerPage ||
      newestStatusId === null ||
      !isNewer(newestStatusId, minId)
    ) {
      return { stopReason: null };
    }
    minId = newestStatusId;
  }
  return { stopReason: `more than ${maxStatuses} statuses` };
}

export function readJsonList(response: { json(): unknown }): readonly unknown[] | null {
  try {
    const json = response.json();
    return Array.isArray(json) ? json : null;
  } catch {
    return null;
  }
}

/** Mastodon's ids start with a time, which allows an overlap; other ids do not. */
function getStart({ statusId, timeMs }: LastEvent): string | null {
  if (statusId === null || !startsWithTime(statusId, timeMs)) return statusId;
  return String(BigInt(Math.max(0, Math.floor(timeMs - overlapMs))) << 16n);
}

const yearMs = 366 * 86_400_000;

function startsWithTime(id: string, nowMs: number): boolean {
  if (!/^\d{15,19}$/.test(id)) return false;
  const ms = Number(BigInt(id) >> 16n);
  return ms > Date.UTC(2016) && ms < nowMs + yearMs;
}

function newestId(statuses: readonly unknown[]): string | null {
  const ids = statuses
    .map((status) => readLocalId(asFields(status).id))
    .filter((id) => id !== null);
  return ids.reduce<string | null>(
    (newest, id) => (newest === null || isNewer(id, newest) ? id : newest),
    null,
  );
}

const isNewer = (id: string, otherId: string): boolean =>
  id.length === otherId.length ? id > otherId : id.length > otherId.length;

export function readLastEvent(value: string | null): LastEvent | null {
  const { since } = asFields(value === null ? null : JSON.parse(value));
  const { statusId, timeMs } = asFields(since);
  return typeof timeMs === "number" ? { statusId: readLocalId(statusId), timeMs } : null;
}
