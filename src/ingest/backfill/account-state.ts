import type { AccountStatus } from "../../archive/archive.ts";
import { isTid } from "../../platforms/bluesky/at-uri.ts";
import type { FoundAccount } from "../../platforms/bluesky/find-account.ts";
import { query, type Refusal, refused, xrpcUrl } from "../../platforms/bluesky/xrpc.ts";
import { fieldsOf } from "../../platforms/fields.ts";
import type { PoliteFetch } from "./polite-fetch.ts";

/** What the server of an account says of it. */
export type AccountState = {
  /** Null where the server does not say. */
  status: AccountStatus | null;
  /** The repository's revision; null where the server does not say. */
  rev: string | null;
};

/** The words of com.atproto.sync.getRepoStatus for accounts that are not active, as far as they have their own here. */
const statuses: ReadonlyMap<unknown, AccountStatus> = new Map(
  (["takendown", "suspended", "deleted", "deactivated"] as const).map((word) => [word, word]),
);

/** The errors that every method of com.atproto.sync may answer with. */
const statusOfError: ReadonlyMap<string, AccountStatus> = new Map([
  ["RepoTakendown", "takendown"],
  ["RepoSuspended", "suspended"],
  ["RepoDeactivated", "deactivated"],
]);

/** The state that a refusal tells; null when it is about something else. */
export const statusOfRefusal = ({ error }: Refusal): AccountStatus | null =>
  statusOfError.get(error) ?? null;

/** Asks the account's server. Errors: `upstream_refused` when it does not know the account; what the fetch throws. */
export async function askAccountState(
  fetch: PoliteFetch,
  { did, pds }: Pick<FoundAccount, "did" | "pds">,
): Promise<AccountState> {
  const answer = await query(fetch, xrpcUrl(pds, "com.atproto.sync.getRepoStatus", { did }));
  if ("refusal" in answer) {
    const status = statusOfRefusal(answer.refusal);
    if (status !== null) return { status, rev: null };
    if (isUnknownMethod(answer.refusal)) return { status: null, rev: null };
    throw refused(pds.host, answer.refusal);
  }
  const { active, status, rev } = fieldsOf(answer.value);
  return {
    status: active === true ? "active" : active === false ? inactive(status) : null,
    rev: typeof rev === "string" && isTid(rev) ? rev : null,
  };
}

/** How servers answer that are older than the method, or made by others. */
const isUnknownMethod = ({ status, error }: Refusal): boolean =>
  status === 501 || (status === 404 && error !== "RepoNotFound");

const inactive = (status: unknown): AccountStatus => statuses.get(status) ?? "inactive";
