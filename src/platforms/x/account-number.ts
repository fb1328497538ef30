import { fieldsOf } from "../fields.ts";
import type { Session } from "../session.ts";
import type { UserTarget } from "../target.ts";
import { isUsername, readIdText } from "./json.ts";
import { requestX } from "./request.ts";

const numbersOfSession = new WeakMap<Session, Map<string, Promise<string | null>>>();

export async function accountNumber(
  { id, handle }: Pick<UserTarget, "id" | "handle">,
  session: Session,
): Promise<string | null> {
  if (id !== null) return readIdText(id);
  if (handle === null || !isUsername(handle)) return null;
  const requested = numbersOfSession.get(session) ?? new Map<string, Promise<string | null>>();
  numbersOfSession.set(session, requested);
  const name = handle.toLowerCase();
  const number = requested.get(name) ?? numberOf(name, session);
  requested.set(name, number);
  return await number.catch((error: unknown) => {
    requested.delete(name);
    throw error;
  });
}

async function numberOf(name: string, session: Session): Promise<string | null> {
  const { data } = await requestX(session, {
    path: `/2/users/by/username/${name}`,
    bucket: "GET /2/users/by/username/:username",
    bill: { userReads: 1 },
    counted: "users",
    scopes: ["users.read", "tweet.read"],
  });
  return readIdText(fieldsOf(data).id);
}
