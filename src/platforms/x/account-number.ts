import { fieldsOf } from "../fields.ts";
import type { Session } from "../session.ts";
import type { UserTarget } from "../target.ts";
import { isHandle, numberText } from "./json.ts";
import { ask } from "./request.ts";

/** Handles that a session has asked about, in lower case, and what they stand for. */
const known = new WeakMap<Session, Map<string, Promise<string | null>>>();

/** The number of an account, asked for by its handle where that is all that is known; null where there is none. */
export async function accountNumber(
  { id, handle }: Pick<UserTarget, "id" | "handle">,
  session: Session,
): Promise<string | null> {
  if (id !== null) return numberText(id);
  if (handle === null || !isHandle(handle)) return null;
  const asked = known.get(session) ?? new Map<string, Promise<string | null>>();
  known.set(session, asked);
  const name = handle.toLowerCase();
  const number = asked.get(name) ?? numberOf(name, session);
  asked.set(name, number);
  // A lookup that failed may be asked for again.
  return await number.catch((fault: unknown) => {
    asked.delete(name);
    throw fault;
  });
}

async function numberOf(name: string, session: Session): Promise<string | null> {
  const { data } = await ask(session, {
    path: `/2/users/by/username/${name}`,
    bucket: "GET /2/users/by/username/:username",
    bill: { userReads: 1 },
    counted: "users",
    scopes: ["users.read", "tweet.read"],
  });
  return numberText(fieldsOf(data).id);
}
