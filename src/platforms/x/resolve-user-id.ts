import { asFields } from "../fields.ts";
import type { Session } from "../session.ts";
import type { UserTarget } from "../target.ts";
import { isUsername, readIdText } from "./json.ts";
import { requestX } from "./request.ts";

const sessionIds = new WeakMap<Session, Map<string, Promise<string | null>>>();

export async function resolveUserId(
  { id, handle }: Pick<UserTarget, "id" | "handle">,
  session: Session,
): Promise<string | null> {
  if (id !== null) return readIdText(id);
  if (handle === null || !isUsername(handle)) return null;
  const cachedIds = sessionIds.get(session) ?? new Map<string, Promise<string | null>>();
  sessionIds.set(session, cachedIds);
  const name = handle.toLowerCase();
  const userId = cachedIds.get(name) ?? requestUserId(name, session);
  cachedIds.set(name, userId);
  return await userId.catch((error: unknown) => {
    cachedIds.delete(name);
    throw error;
  });
}

async function requestUserId(name: string, session: Session): Promise<string | null> {
  const { data } = await requestX(session, {
    path: `/2/users/by/username/${name}`,
    bucket: "GET /2/users/by/username/:username",
    bill: { userReads: 1 },
    billedAs: "users",
    scopes: ["users.read", "tweet.read"],
  });
  return readIdText(asFields(data).id);
}

/** Consists of the user's id (which saves a lookup), a dot and X's token. */
export function readUserCursor(cursor: string | null): { id: string; token: string } | null {
  const [, id, token] = /^(\d{1,19})\.(.+)$/s.exec(cursor ?? "") ?? [];
  return id === undefined || token === undefined ? null : { id, token };
}
