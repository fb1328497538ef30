import { asFields, list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { PageCall } from "../upstream.ts";
import { readLocalId } from "./account.ts";
import { readCursor } from "./cursor.ts";
import type { Paging } from "./link-paging.ts";
import type { InstanceResponse, ServerAccess } from "./server-access.ts";

export type PageRequest = { call: PageCall; session: Session };

export const bucket = "api";

/** Requests for a later page have a separate rate limit. */
export const pagingBucket = (paging: Paging | null | undefined): string =>
  paging == null ? bucket : "paging";

export const boundedLimit = (max: number, { limit }: PageCall): number =>
  Math.min(Math.max(limit, 1), max);

type ListPosition = { access: ServerAccess; id: string; json: unknown; paging: Paging | null };

export async function resumeOrFind(
  { call, session }: PageRequest,
  find: () => Promise<{ access: ServerAccess; id: string; json: unknown } | null>,
): Promise<ListPosition | null> {
  const position = readCursor(call.cursor, session, call.target);
  if (position !== null) return { ...position, json: null };
  const subject = await find();
  return subject === null ? null : { ...subject, paging: null };
}

/** Continues by id if the server sends no Link header. */
export function pagingAfterLast(
  { json, headers }: Pick<InstanceResponse, "json" | "headers">,
  limit: number,
): Paging | null {
  if (headers.has("link")) return null;
  const statuses = list(json, 1_000);
  const id = readLocalId(asFields(statuses.at(-1)).id);
  return statuses.length < limit || id === null ? null : { max_id: id };
}
