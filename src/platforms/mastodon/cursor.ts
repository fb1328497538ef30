import { EarshotError } from "../../lib/errors.ts";
import type { Session } from "../session.ts";
import type { Target } from "../target.ts";
import { readLocalId } from "./account.ts";
import { type Paging, readPaging, writePaging } from "./link-paging.ts";
import { namedServer } from "./named-server.ts";
import { type ServerAccess, serverAccessAt } from "./server-access.ts";

export function writeCursor(
  { instance }: ServerAccess,
  id: string,
  paging: Paging | null,
): string | null {
  return paging === null ? null : `${instance} ${id} ${writePaging(paging)}`;
}

/** Accepts only cursors of the session's server or the target's. Errors: `cursor_invalid`. */
export function readCursor(
  cursor: string | null,
  session: Session,
  target: Target | null,
): { access: ServerAccess; id: string; paging: Paging } | null {
  if (cursor === null) return null;
  const [host = "", id, parameters = "", ...more] = cursor.slice(0, 2_000).split(" ");
  const localId = readLocalId(id);
  const paging = readPaging(parameters);
  const hosts = [new URL(session.baseUrl).host, namedServer(target)];
  if (localId === null || paging === null || more.length > 0 || !hosts.includes(host)) {
    throw new EarshotError(
      "cursor_invalid",
      "the cursor is malformed or belongs to another server",
      {
        status: 400,
        hint: "omit the cursor",
      },
    );
  }
  return { access: serverAccessAt(session, host), id: localId, paging };
}
