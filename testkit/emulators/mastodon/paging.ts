import { compareIds } from "./ids.ts";
import type { EmulatedRequest } from "./route.ts";

/** `max_id`, `since_id`, `min_id`, with the `Link` header. */
export function pageBy<T>(
  allItems: readonly T[],
  idOf: (item: T) => string,
  request: EmulatedRequest,
  bounds: { defaultLimit: number; maxLimit: number },
): { items: T[]; headers: Record<string, string> } {
  const { query } = request;
  const limit = readLimit(query, bounds);
  const maxId = query.get("max_id");
  const minId = query.get("min_id") ?? query.get("since_id");
  const itemsInRange = [...allItems]
    .sort((a, b) => compareIds(idOf(b), idOf(a)))
    .filter((item) => maxId === null || compareIds(idOf(item), maxId) < 0)
    .filter((item) => minId === null || compareIds(idOf(item), minId) > 0);
  const isForward = query.has("min_id");
  const items = isForward ? itemsInRange.slice(-limit) : itemsInRange.slice(0, limit);
  const first = items[0];
  const last = items.at(-1);
  if (first === undefined || last === undefined || request.settings.differences.noLinks) {
    return { items, headers: {} };
  }
  const links = [link(request, { min_id: idOf(first) }, "prev")];
  const isFull = items.length === limit;
  if (isFull) links.unshift(link(request, { max_id: idOf(last) }, "next"));
  return { items, headers: { link: links.join(", ") } };
}

export function pageByOffset<T>(
  allItems: readonly T[],
  request: EmulatedRequest,
  bounds: { defaultLimit: number; maxLimit: number },
): { items: T[]; headers: Record<string, string> } {
  const limit = readLimit(request.query, bounds);
  const offset = Number(request.query.get("offset") ?? 0);
  const items = allItems.slice(offset, offset + limit);
  const isFull = items.length === limit;
  const next = link(request, { offset: String(offset + limit) }, "next");
  return {
    items,
    headers: isFull && !request.settings.differences.noLinks ? { link: next } : {},
  };
}

export function readLimit(
  query: URLSearchParams,
  { defaultLimit, maxLimit }: { defaultLimit: number; maxLimit: number },
) {
  const requestedLimit = Number(query.get("limit") ?? defaultLimit);
  return Number.isInteger(requestedLimit) && requestedLimit > 0
    ? Math.min(requestedLimit, maxLimit)
    : defaultLimit;
}

function link(
  { url, path, query }: EmulatedRequest,
  paging: Record<string, string>,
  rel: string,
): string {
  const parameters = new URLSearchParams(query);
  for (const name of ["max_id", "min_id", "since_id", "offset"]) parameters.delete(name);
  for (const [name, value] of Object.entries(paging)) parameters.set(name, value);
  return `<${url}${path}?${parameters}>; rel="${rel}"`;
}
