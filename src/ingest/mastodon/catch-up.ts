import { fieldsOf } from "../../platforms/fields.ts";
import { readId } from "../../platforms/mastodon/account.ts";
import type { MastodonRequests } from "./requests.ts";
import type { MastodonStreamName } from "./settings.ts";

/** The last event before a gap: the status it was about, if any, and when it came, Unix milliseconds. */
export type LastEvent = { statusId: string | null; timeMs: number };

/** What came of reading the timeline: `null` when it was read to its end, else why it was not. */
export type CatchUpEnd = { stoppedBy: string | null };

const pageStatuses = 40;
/** Statuses reach a server late and get an id of the time when they were made: so far back the timeline is read again. */
const overlapMs = 15 * 60_000;

/**
 * Reads what the server's public timeline has since an event, oldest first, page by page. It tells nothing of deletions, nor of
 * edits of statuses that are older. Errors: those of the requests.
 */
export async function catchUp(
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
  let after = startOf(request.since);
  if (after === null) return { stoppedBy: "no status is known to continue from" };
  for (let read = 0; read < maxStatuses; ) {
    const query = new URLSearchParams({ min_id: after, limit: String(pageStatuses) });
    if (stream !== "public") query.set(stream === "public:local" ? "local" : "remote", "true");
    const answer = await requests.get("/api/v1/timelines/public", query, signal);
    if (answer.status !== 200) return { stoppedBy: `HTTP ${answer.status}` };
    const statuses = listIn(answer);
    if (statuses === null) return { stoppedBy: "the answer is not a list of statuses" };
    onStatuses(statuses);
    read += statuses.length;
    const newest = newestId(statuses);
    if (statuses.length < pageStatuses || newest === null || !isNewer(newest, after)) {
      return { stoppedBy: null };
    }
    after = newest;
  }
  return { stoppedBy: `more than ${maxStatuses} statuses` };
}

/** The JSON list of an answer; null where it is none. */
export function listIn(answer: { json(): unknown }): readonly unknown[] | null {
  try {
    const json = answer.json();
    return Array.isArray(json) ? json : null;
  } catch {
    return null;
  }
}

/** The id to continue after. Mastodon's ids start with a time; of other ids the last one that was seen is all there is. */
function startOf({ statusId, timeMs }: LastEvent): string | null {
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
  const ids = statuses.map((status) => readId(fieldsOf(status).id)).filter((id) => id !== null);
  return ids.reduce<string | null>(
    (newest, id) => (newest === null || isNewer(id, newest) ? id : newest),
    null,
  );
}

/** Ids of one server grow with time: by their length, then by their characters. */
const isNewer = (id: string, than: string): boolean =>
  id.length === than.length ? id > than : id.length > than.length;

/** The event after which the timeline is to be read, as a checkpoint holds it. */
export function readLastEvent(value: string | null): LastEvent | null {
  const { since } = fieldsOf(value === null ? null : JSON.parse(value));
  const { statusId, timeMs } = fieldsOf(since);
  return typeof timeMs === "number" ? { statusId: readId(statusId), timeMs } : null;
}
