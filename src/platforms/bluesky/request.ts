import type { EarshotError } from "../../lib/errors.ts";
import { credentialRefused } from "../credential-errors.ts";
import { asFields } from "../fields.ts";
import type { Session } from "../session.ts";
import { parseRefusal, type Refusal, refusalError } from "./xrpc.ts";

/** Hosts have one rate limit for all methods. */
const bucket = "xrpc";

export type AppView = {
  url: string;
  labelers: readonly string[];
};

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

const blueskyAppView = "did:web:api.bsky.app#bsky_appview";
const blueskyHosts: readonly string[] = ["api.bsky.app", "public.api.bsky.app"];
const maxLabelers = 20;

/**
 * Calls the account's PDS if there is a credential. Null if the subject does not exist or is not
 * visible. Errors: `credential_refused` for a missing permission; `upstream_refused`.
 */
export async function requestAppView(
  session: Session,
  appView: AppView,
  method: string,
  query: Query,
): Promise<Record<string, unknown> | null> {
  const outcome = await tryAppView(session, appView, method, query);
  if (!("refusal" in outcome)) return outcome.fields;
  if (isMissing(outcome.refusal)) return null;
  throw makeBlueskyError(session, method, outcome.refusal);
}

/** Like `requestAppView`, but returns refusals. */
export async function tryAppView(
  session: Session,
  appView: AppView,
  method: string,
  query: Query,
): Promise<{ fields: Record<string, unknown> } | { refusal: Refusal }> {
  const response = await session.get({
    path: `/xrpc/${method}`,
    query,
    headers: headersFor(session, appView, method),
    bucket,
  });
  if (response.status >= 200 && response.status < 300) return { fields: asFields(response.json) };
  return { refusal: parseRefusal(response.status, response.json) };
}

function headersFor(session: Session, { url, labelers }: AppView, method: string) {
  const headers: Record<string, string> = { accept: "application/json" };
  if (!method.startsWith("app.bsky.")) return headers;
  if (labelers.length > 0) {
    const acceptedLabelers = labelers.slice(0, maxLabelers).map((did) => `${did};redact`);
    headers["atproto-accept-labelers"] = acceptedLabelers.join(", ");
  }
  // A PDS proxies to its own network's AppView by default, and must not proxy to Bluesky's if it
  // belongs to another network.
  const isBlueskyAppView = blueskyHosts.includes(new URL(url).hostname);
  if (session.access === "user" && isBlueskyAppView) headers["atproto-proxy"] = blueskyAppView;
  return headers;
}

const missingErrorNames: readonly string[] = [
  "NotFound",
  "AccountTakedown",
  "AccountDeactivated",
  "BlockedActor",
  "BlockedByActor",
  "HandleNotFound",
  "DidNotFound",
  "DidDeactivated",
];

/** If the error's name is generic, its message decides. */
function isMissing({ status, error, message }: Refusal): boolean {
  if (status !== 400 && status !== 404) return false;
  if (missingErrorNames.includes(error)) return true;
  return (
    error === "InvalidRequest" &&
    /^(?:(?:profile|actor|post|account) not found|unable to resolve handle)/i.test(message)
  );
}

const scopeErrorNames: readonly string[] = ["ScopeMissingError", "InsufficientScope"];

export function makeBlueskyError(session: Session, method: string, refusal: Refusal): EarshotError {
  const { host } = new URL(session.baseUrl);
  const isScopeMissing =
    scopeErrorNames.includes(refusal.error) ||
    (refusal.error === "InvalidToken" && /scope/i.test(refusal.message));
  if (!isScopeMissing) return refusalError(host, refusal);
  const reason = refusal.message;
  return credentialRefused(
    `${host} does not allow ${method} with this credential${reason === "" ? "" : ` (${reason})`}`,
    "add the credential again with the permissions for this method",
  );
}
