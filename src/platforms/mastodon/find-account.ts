import { EarshotError } from "../../lib/errors.ts";
import { asFields, list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { Target, UserTarget } from "../target.ts";
import { localId, readLocalId, readQualifiedAcct } from "./account.ts";
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
 * With a credential, queries the session's server, which resolves remote accounts for users; then,
 * or without one, the account's own server, because other servers show only what has reached them.
 */
export async function findAccountOnServer(
  target: Target | null,
  session: Session,
): Promise<AccountOnServer | null> {
  if (target?.kind !== "user") return null;
  if (target.id !== null) return findById(target, target.id, session);
  return target.handle === null ? null : await findByHandle(target, target.handle, session);
}

function findById(target: UserTarget, name: string, session: Session): AccountOnServer | null {
  const home = namedServer(target);
  const access = home === null ? getServerAccess(session) : serverAccessAt(session, home);
  const id = localId(access.instance, name);
  return id === null ? null : { access, id, json: null };
}

async function findByHandle(
  { host }: UserTarget,
  handle: string,
  session: Session,
): Promise<AccountOnServer | null> {
  const ownServer = getServerAccess(session);
  const home = handle.includes("@") ? handle.slice(handle.lastIndexOf("@") + 1) : null;
  const firstServer = ownServer.isAnonymous
    ? serverAccessAt(session, home ?? host ?? ownServer.instance)
    : ownServer;
  const isForeign = home !== null && home !== firstServer.instance;
  const account =
    (await lookUp(firstServer, handle)) ??
    (await resolveRemotely(firstServer, handle, session, isForeign));
  if (account !== null || !isForeign) return account;
  return await lookUpAtHome(serverAccessAt(session, home), handle);
}

async function lookUp(access: ServerAccess, handle: string): Promise<AccountOnServer | null> {
  const request = {
    path: "/api/v1/accounts/lookup",
    query: { acct: localNameAt(access.instance, handle) },
    bucket: "api",
  };
  const response = await sendToServer(access, request, "read:accounts");
  return response === null ? null : readAccountOnServer(access, response.json);
}

const localNameAt = (instance: string, handle: string): string =>
  handle.toLowerCase().endsWith(`@${instance}`) ? handle.slice(0, handle.lastIndexOf("@")) : handle;

function readAccountOnServer(access: ServerAccess, json: unknown): AccountOnServer | null {
  const id = readLocalId(asFields(json).id);
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
  const response = await sendToServer(access, request, "read:search");
  const match = list(asFields(response?.json).accounts, 40).find(
    (account) =>
      readQualifiedAcct(asFields(account).acct, access.instance)?.toLowerCase() ===
      handle.toLowerCase(),
  );
  return match === undefined ? null : readAccountOnServer(access, match);
}

/** Null on a permanent error: the handle's host may not be a Mastodon server. */
async function lookUpAtHome(home: ServerAccess, handle: string): Promise<AccountOnServer | null> {
  try {
    return await lookUp(home, handle);
  } catch (thrown) {
    if (thrown instanceof EarshotError && !thrown.retryable) return null;
    throw thrown;
  }
}
