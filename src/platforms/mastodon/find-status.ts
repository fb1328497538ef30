import { EarshotError } from "../../lib/errors.ts";
import { fieldsOf, list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { PostTarget, Target } from "../target.ts";
import { readServerId } from "./account.ts";
import { namedServer } from "./named-server.ts";
import {
  type ServerAccess,
  sendToServer,
  serverAccessAt,
  serverAccessOf,
} from "./server-access.ts";

export type FoundStatus = {
  access: ServerAccess;
  id: string;
  json: unknown;
};

/**
 * Finds an id, URI or address: a user's server resolves it remotely, otherwise the address's server
 * is requested without a credential.
 */
export async function findStatus(
  target: Target | null,
  session: Session,
): Promise<FoundStatus | null> {
  if (target?.kind !== "post") return null;
  const ownServer = serverAccessOf(session);
  const named = namedBy(target);
  if (named.host === null || named.host === ownServer.instance) {
    if (named.id !== null) return { access: ownServer, id: named.id, json: null };
  }
  const address = target.url ?? webUri(target);
  if (session.access === "user" && address !== null) {
    const status = await resolveRemotely(ownServer, address);
    if (status !== null) return status;
  }
  if (named.host !== null && named.id === null && address !== null) throw needsServer(named.host);
  if (named.host === null || named.id === null) return null;
  return { access: serverAccessAt(session, named.host), id: named.id, json: null };
}

/** Addresses of other software may lack the id. */
function needsServer(host: string): EarshotError {
  return new EarshotError(
    "upstream_refused",
    `the URL has no Mastodon post id, so ${host} cannot be queried`,
    {
      status: 502,
      hint: "add a user token of a Mastodon server, which can resolve the URL, or send the id as ID@host",
    },
  );
}

function namedBy(target: PostTarget): { id: string | null; host: string | null } {
  const { id, uri, url } = target;
  const host = namedServer(target);
  const imported = /^import:mastodon:([^@]+)/.exec(uri ?? "")?.[1];
  const statusId = id ?? imported;
  if (statusId !== undefined) return { id: readServerId(statusId), host };
  const address = URL.parse(uri ?? url ?? "");
  return { id: address === null ? null : idInAddress(address), host };
}

const pagesOfStatuses: ReadonlySet<string> = new Set(["statuses", "notice", "notes"]);

/** The id in `/@ann/1`, `/users/ann/statuses/1`, `/notice/9x`, `/notes/9h2k1x0abc` … */
function idInAddress({ pathname }: URL): string | null {
  const parts = pathname.split("/").filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  const before = parts.at(-2) ?? "";
  const isStatus = pagesOfStatuses.has(before) || before.startsWith("@");
  return isStatus ? readServerId(last) : null;
}

const webUri = ({ uri }: PostTarget): string | null =>
  uri !== null && /^https?:\/\//i.test(uri) ? uri : null;

async function resolveRemotely(access: ServerAccess, address: string): Promise<FoundStatus | null> {
  const request = {
    path: "/api/v2/search",
    query: { type: "statuses", resolve: true, limit: 1, q: address },
    bucket: "api",
  };
  const answer = await requestLeniently(access, request);
  const [status] = list(fieldsOf(answer?.json).statuses, 1);
  const id = readServerId(fieldsOf(status).id);
  return id === null ? null : { access, id, json: status };
}

async function requestLeniently(access: ServerAccess, request: Parameters<typeof sendToServer>[1]) {
  try {
    return await sendToServer(access, request, "read:search");
  } catch (thrown) {
    if (thrown instanceof EarshotError && !thrown.retryable) return null;
    throw thrown;
  }
}
