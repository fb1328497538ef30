import { EarshotError } from "../../lib/errors.ts";
import { asFields, list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { Target, UserTarget } from "../target.ts";
import { idOn, readAccount, readServerId } from "./account.ts";
import { namedServer } from "./named-server.ts";
import {
  getServerAccess,
  type ServerAccess,
  sendToServer,
  serverAccessAt,
} from "./server-access.ts";

export type AccountOnServer = {
  access: ServerAccess;
  id: string;
  json: unknown;
};

/**
 * Queries the session's server, which resolves remote accounts for users, then the account's own
 * server without a credential, because other servers show only what has reached them.
 */
export async function findAccountOnServer(
  target: Target | null,
  session: Session,
): Promise<AccountOnServer | null> {
  if (target?.kind !== "user") return null;
  if (target.id !== null) return byId(target, target.id, session);
  return target.handle === null ? null : await byHandle(target, target.handle, session);
}

function byId(target: UserTarget, name: string, session: Session): AccountOnServer | null {
  const home = namedServer(target);
  const access = home === null ? getServerAccess(session) : serverAccessAt(session, home);
  const id = idOn(access.instance, name);
  return id === null ? null : { access, id, json: null };
}

async function byHandle(
  { host }: UserTarget,
  handle: string,
  session: Session,
): Promise<AccountOnServer | null> {
  const ownServer = getServerAccess(session);
  const home = handle.includes("@") ? handle.slice(handle.lastIndexOf("@") + 1) : null;
  const first = ownServer.isAnonymous
    ? serverAccessAt(session, home ?? host ?? ownServer.instance)
    : ownServer;
  const isForeign = home !== null && home !== first.instance;
  const account =
    (await lookUp(first, handle)) ?? (await resolveRemotely(first, handle, session, isForeign));
  if (account !== null || !isForeign) return account;
  return await lookUpAtHome(serverAccessAt(session, home), handle);
}

async function lookUp(access: ServerAccess, handle: string): Promise<AccountOnServer | null> {
  const request = {
    path: "/api/v1/accounts/lookup",
    query: { acct: localNameAt(access.instance, handle) },
    bucket: "api",
  };
  const answer = await sendToServer(access, request, "read:accounts");
  return answer === null ? null : accountAt(access, answer.json);
}

const localNameAt = (instance: string, handle: string): string =>
  handle.toLowerCase().endsWith(`@${instance}`) ? handle.slice(0, handle.lastIndexOf("@")) : handle;

function accountAt(access: ServerAccess, json: unknown): AccountOnServer | null {
  const id = readServerId(asFields(json).id);
  return id === null ? null : { access, id, json };
}

async function resolveRemotely(
  access: ServerAccess,
  handle: string,
  session: Session,
  isForeign: boolean,
): Promise<AccountOnServer | null> {
  if (session.access !== "user" || !isForeign) return null;
  const request = {
    path: "/api/v2/search",
    query: { type: "accounts", resolve: true, limit: 5, q: `@${handle}` },
    bucket: "api",
  };
  const answer = await sendToServer(access, request, "read:search");
  const match = list(asFields(answer?.json).accounts, 40).find(
    (account) =>
      readAccount(asFields(account).acct, access.instance)?.toLowerCase() === handle.toLowerCase(),
  );
  return match === undefined ? null : accountAt(access, match);
}

/** Null on a permanent error: the server may be unreachable, or not be the handle's host. */
async function lookUpAtHome(home: ServerAccess, handle: string): Promise<AccountOnServer | null> {
  try {
    return await lookUp(home, handle);
  } catch (thrown) {
    if (thrown instanceof EarshotError && !thrown.retryable) return null;
    throw thrown;
  }
}
