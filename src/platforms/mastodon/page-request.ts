import { fieldsOf, list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { PageCall } from "../upstream.ts";
import { readId } from "./account.ts";
import { readCursor } from "./cursor.ts";
import type { Paging } from "./link-paging.ts";
import type { Answer, ServerAccess } from "./server-access.ts";

/** A page that is asked for, and with what. */
export type PageRequest = { call: PageCall; session: Session };

export const bucket = "api";

/** Requests that go on in a list have a limit of their own. */
export const bucketOf = (paging: Paging | null | undefined): string =>
  paging == null ? bucket : "paging";

export const atMost = (most: number, { limit }: PageCall): number =>
  Math.min(Math.max(limit, 1), most);

type Continued = { place: ServerAccess; id: string; json: unknown; paging: Paging | null };

/** Where a list goes on, or begins: what its cursor names is not looked for again. */
export async function continued(
  { call, session }: PageRequest,
  find: () => Promise<{ place: ServerAccess; id: string; json: unknown } | null>,
): Promise<Continued | null> {
  const place = readCursor(call.cursor, session, call.target);
  if (place !== null) return { ...place, json: null };
  const found = await find();
  return found === null ? null : { ...found, paging: null };
}

/** Lists of statuses go on by the statuses' own ids, on a server that names no next page. */
export function afterLast({ json, headers }: Answer, limit: number): Paging | null {
  if (headers.has("link")) return null;
  const statuses = list(json, 1_000);
  const id = readId(fieldsOf(statuses.at(-1)).id);
  return statuses.length < limit || id === null ? null : { max_id: id };
}
