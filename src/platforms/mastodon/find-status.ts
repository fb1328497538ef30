import { EarshotError } from "../../lib/errors.ts";
import { asFields, list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { PostTarget, Target } from "../target.ts";
import { readLocalId } from "./account.ts";
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
  /** Null if the status has yet to be fetched. */
  json: unknown;
};

/**
 * By id, URI or URL. With a user token, the user's server resolves a remote status; otherwise the
 * returned `access` queries the status's own server without a credential.
 */
export async function findStatus(
  target: Target | null,
  session: Session,
): Promise<StatusOnServer | null> {
  if (target?.kind !== "post") return null;
  const sessionServer = getServerAccess(session);
  const identifier = targetIdentifier(target);
  if (identifier.host === null || identifier.host === sessionServer.instance) {
    if (identifier.id !== null) return { access: sessionServer, id: identifier.id, json: null };
  }
  const address = target.url ?? webUri(target);
  if (session.access === "user" && address !== null) {
    const status = await resolveRemoteStatus(sessionServer, address);
    if (status !== null) return status;
  }
  if (identifier.host !== null && identifier.id === null && address !== null)
    throw missingStatusIdError(identifier.host);
  if (identifier.host === null || identifier.id === null) return null;
  return { access: serverAccessAt(session, identifier.host), id: identifier.id, json: null };
}

/** Post URLs of other Fediverse software may not contain the id. */
function missingStatusIdError(host: string): EarshotError {
  return new EarshotError(
    "upstream_refused",
    `the URL has no Mastodon post id, so ${host} cannot be queried`,
    {
      status: 502,
      hint: "add a user token for a Mastodon server that can resolve the URL, or send the id as ID@host",
    },
  );
}

function targetIdentifier(target: PostTarget): { id: string | null; host: string | null } {
  const { id, uri, url } = target;
  const host = namedServer(target);
  const imported = /^import:mastodon:([^@]+)/.exec(uri ?? "")?.[1];
  const statusId = id ?? imported;
  if (statusId !== undefined) return { id: readLocalId(statusId), host };
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
  return isStatus ? readLocalId(last) : null;
}

const webUri = ({ uri }: PostTarget): string | null =>
  uri !== null && /^https?:\/\//i.test(uri) ? uri : null;

async function resolveRemoteStatus(
  access: ServerAccess,
  address: string,
): Promise<StatusOnServer | null> {
  const request = {
    path: "/api/v2/search",
    query: { type: "statuses", resolve: true, limit: 1, q: address },
    bucket: "api",
  };
  const response = await requestLeniently(access, request);
  const [status] = list(asFields(response?.json).statuses, 1);
  const id = readLocalId(asFields(status).id);
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
