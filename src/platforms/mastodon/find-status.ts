import { EarshotError } from "../../lib/errors.ts";
import { asFields, list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { PostTarget, Target } from "../target.ts";
import { readServerId } from "./account.ts";
import { namedServer } from "./named-server.ts";
import {
  getServerAccess,
  type ServerAccess,
  sendToServer,
  serverAccessAt,
} from "./server-access.ts";

export type StatusOnServer = {
  access: ServerAccess;
  id: string;
  json: unknown;
};

/**
 * By id, URI or URL. A user's server resolves a remote status; otherwise the status's server is
 * queried without a credential.
 */
export async function findStatus(
  target: Target | null,
  session: Session,
): Promise<StatusOnServer | null> {
  if (target?.kind !== "post") return null;
  const ownServer = getServerAccess(session);
  const identifier = targetIdentifier(target);
  if (identifier.host === null || identifier.host === ownServer.instance) {
    if (identifier.id !== null) return { access: ownServer, id: identifier.id, json: null };
  }
  const address = target.url ?? webUri(target);
  if (session.access === "user" && address !== null) {
    const status = await resolveRemotely(ownServer, address);
    if (status !== null) return status;
  }
  if (identifier.host !== null && identifier.id === null && address !== null)
    throw serverUnknown(identifier.host);
  if (identifier.host === null || identifier.id === null) return null;
  return { access: serverAccessAt(session, identifier.host), id: identifier.id, json: null };
}

/** URLs of other software may lack the id. */
function serverUnknown(host: string): EarshotError {
  return new EarshotError(
    "upstream_refused",
    `the URL has no Mastodon post id, so ${host} cannot be queried`,
    {
      status: 502,
      hint: "add a user token of a Mastodon server, which can resolve the URL, or send the id as ID@host",
    },
  );
}

function targetIdentifier(target: PostTarget): { id: string | null; host: string | null } {
  const { id, uri, url } = target;
  const host = namedServer(target);
  const imported = /^import:mastodon:([^@]+)/.exec(uri ?? "")?.[1];
  const statusId = id ?? imported;
  if (statusId !== undefined) return { id: readServerId(statusId), host };
  const address = URL.parse(uri ?? url ?? "");
  return { id: address === null ? null : idInAddress(address), host };
}

const statusSegments: ReadonlySet<string> = new Set(["statuses", "notice", "notes"]);

/** Finds the id in `/@ann/1`, `/users/ann/statuses/1`, `/notice/9x`, `/notes/9h2k1x0abc` … */
function idInAddress({ pathname }: URL): string | null {
  const parts = pathname.split("/").filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  const previous = parts.at(-2) ?? "";
  const isStatus = statusSegments.has(previous) || previous.startsWith("@");
  return isStatus ? readServerId(last) : null;
}

const webUri = ({ uri }: PostTarget): string | null =>
  uri !== null && /^https?:\/\//i.test(uri) ? uri : null;

async function resolveRemotely(
  access: ServerAccess,
  address: string,
): Promise<StatusOnServer | null> {
  const request = {
    path: "/api/v2/search",
    query: { type: "statuses", resolve: true, limit: 1, q: address },
    bucket: "api",
  };
  const answer = await requestLeniently(access, request);
  const [status] = list(asFields(answer?.json).statuses, 1);
  const id = readServerId(asFields(status).id);
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
