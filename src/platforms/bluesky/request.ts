import type { EarshotError } from "../../lib/errors.ts";
import { credentialRefused } from "../credential-errors.ts";
import { fieldsOf } from "../fields.ts";
import type { Session } from "../session.ts";
import { type Refusal, refusalIn, refused } from "./xrpc.ts";

/** One limit of a host holds for all of its methods. */
const bucket = "xrpc";

/** What the AppView is to be asked with. */
export type AppView = {
  url: string;
  /** Accounts whose labels are to be told, and obeyed by what the AppView leaves out. */
  labelers: readonly string[];
};

/** Parameters; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The AppView of Bluesky itself, as the proxy of a PDS is told of it. */
const blueskyAppView = "did:web:api.bsky.app#bsky_appview";
const blueskyHosts: readonly string[] = ["api.bsky.app", "public.api.bsky.app"];
const mostLabelers = 20;

/**
 * Asks one method of the AppView, with a credential through the account's PDS. Resolves with the fields of the answer; null
 * when there is no such account or post, or it is not to be seen. Errors: those of the session; `credential_refused` when the
 * credential may not do this; `upstream_refused` for every other refusal.
 */
export async function askAppView(
  session: Session,
  appView: AppView,
  method: string,
  query: Query,
): Promise<Record<string, unknown> | null> {
  const refusalOrFields = await tryAppView(session, appView, method, query);
  if (!("refusal" in refusalOrFields)) return refusalOrFields.fields;
  if (isMissing(refusalOrFields.refusal)) return null;
  throw blueskyErrorOf(session, method, refusalOrFields.refusal);
}

/** The same with a refusal as an answer. */
export async function tryAppView(
  session: Session,
  appView: AppView,
  method: string,
  query: Query,
): Promise<{ fields: Record<string, unknown> } | { refusal: Refusal }> {
  const answer = await session.get({
    path: `/xrpc/${method}`,
    query,
    headers: headersFor(session, appView, method),
    bucket,
  });
  if (answer.status >= 200 && answer.status < 300) return { fields: fieldsOf(answer.json) };
  return { refusal: refusalIn(answer.status, answer.json) };
}

function headersFor(session: Session, { url, labelers }: AppView, method: string) {
  const headers: Record<string, string> = { accept: "application/json" };
  if (!method.startsWith("app.bsky.")) return headers;
  if (labelers.length > 0) {
    const told = labelers.slice(0, mostLabelers).map((did) => `${did};redact`);
    headers["atproto-accept-labelers"] = told.join(", ");
  }
  // A PDS asks the AppView that it is set to; another network's must not be sent to Bluesky's.
  const isOfBluesky = blueskyHosts.includes(new URL(url).hostname);
  if (session.access === "user" && isOfBluesky) headers["atproto-proxy"] = blueskyAppView;
  return headers;
}

/** Names of errors that say: there is nothing here that may be shown. */
const missingNames: readonly string[] = [
  "NotFound",
  "AccountTakedown",
  "AccountDeactivated",
  "BlockedActor",
  "BlockedByActor",
  "HandleNotFound",
  "DidNotFound",
  "DidDeactivated",
];

/** Where the name says no more than that the request is at fault, the message has to tell. */
function isMissing({ status, error, message }: Refusal): boolean {
  if (status !== 400 && status !== 404) return false;
  if (missingNames.includes(error)) return true;
  return (
    error === "InvalidRequest" &&
    /^(?:(?:profile|actor|post|account) not found|unable to resolve handle)/i.test(message)
  );
}

/** What a credential may not do, told by a scope that it lacks. */
const scopeNames: readonly string[] = ["ScopeMissingError", "InsufficientScope"];

/** The error of a refusal that nothing else can be made of. */
export function blueskyErrorOf(session: Session, method: string, refusal: Refusal): EarshotError {
  const { host } = new URL(session.baseUrl);
  const isScope =
    scopeNames.includes(refusal.error) ||
    (refusal.error === "InvalidToken" && /scope/i.test(refusal.message));
  if (!isScope) return refused(host, refusal);
  const said = refusal.message;
  return credentialRefused(
    `${host} does not let this credential ask for ${method}${said === "" ? "" : ` (${said})`}`,
    "add the credential anew with the permissions that this method needs",
  );
}
