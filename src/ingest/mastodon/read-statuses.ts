import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import { asFields, isObject } from "../../platforms/fields.ts";
import { readLocalId } from "../../platforms/mastodon/account.ts";
import { readJsonList } from "./catch-up.ts";
import type { MastodonRequests } from "./requests.ts";

export type StatusReader = {
  /**
   * `absent`: the ids that, according to the server, do not exist. Throws if the token is not allowed to read
   * statuses, or the server does not return its own timeline.
   */
  read(ids: readonly string[]): Promise<{ found: readonly unknown[]; absent: readonly string[] }>;
};

/** Requests all ids together, then each missing one separately (recheck.ts explains why). */
export function createStatusReader(requests: MastodonRequests, signal: AbortSignal): StatusReader {
  let supportsBatches = true;
  let hasTrustedTimeline = false;

  async function read(ids: readonly string[]) {
    const byId = new Map<string, unknown>();
    if (supportsBatches && ids.length > 1) await readTogether(ids, byId);
    const absentIds: string[] = [];
    for (const id of ids) {
      if (byId.has(id)) continue;
      const response = await get(`/api/v1/statuses/${id}`, new URLSearchParams());
      const status = response.status === 200 ? readJsonObject(response) : null;
      if (status !== null) byId.set(id, status);
      else if (isAbsence(response)) absentIds.push(id);
    }
    if (absentIds.length > 0) await requireTimeline();
    return { found: [...byId.values()], absent: absentIds };
  }

  async function readTogether(ids: readonly string[], byId: Map<string, unknown>): Promise<void> {
    const query = new URLSearchParams(ids.map((id): [string, string] => ["id[]", id]));
    const response = await get("/api/v1/statuses", query);
    const statuses = response.status === 200 ? readJsonList(response) : null;
    supportsBatches = statuses !== null;
    for (const status of statuses ?? []) {
      const id = readLocalId(asFields(status).id);
      if (id !== null && ids.includes(id)) byId.set(id, status);
    }
  }

  async function requireTimeline(): Promise<void> {
    if (hasTrustedTimeline) return;
    const response = await get("/api/v1/timelines/public", new URLSearchParams({ limit: "1" }));
    const statuses = response.status === 200 ? readJsonList(response) : null;
    const id = readLocalId(asFields(statuses?.[0]).id);
    hasTrustedTimeline =
      id === null
        ? statuses?.length === 0
        : (await get(`/api/v1/statuses/${id}`, new URLSearchParams())).status === 200;
    if (hasTrustedTimeline) return;
    throw new Error("the server hides its timeline, so any status may be missing");
  }

  async function get(path: string, query: URLSearchParams): Promise<FetchedResponse> {
    const response = await requests.get(path, query, signal);
    if (response.status !== 401 && response.status !== 403) return response;
    throw new Error(`HTTP ${response.status}: the token is not allowed to read statuses`);
  }

  return { read };
}

function isAbsence(response: FetchedResponse): boolean {
  if (response.status !== 404 && response.status !== 410) return false;
  return typeof asFields(readJsonObject(response)).error === "string";
}

function readJsonObject(response: FetchedResponse): Record<string, unknown> | null {
  try {
    const json = response.json();
    return isObject(json) ? json : null;
  } catch {
    return null;
  }
}
