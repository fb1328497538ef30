import type { AccountStatus } from "../../archive/archive.ts";
import { isTid } from "../../platforms/bluesky/at-uri.ts";
import type { ResolvedAccount } from "../../platforms/bluesky/find-account.ts";
import { query, type Refusal, refusalError, xrpcUrl } from "../../platforms/bluesky/xrpc.ts";
import { asFields } from "../../platforms/fields.ts";
import type { PoliteFetch } from "./polite-fetch.ts";

export type AccountState = {
  status: AccountStatus | null;
  rev: string | null;
};

const statuses: ReadonlyMap<unknown, AccountStatus> = new Map(
  (["takendown", "suspended", "deleted", "deactivated"] as const).map((word) => [word, word]),
);

const errorStatuses: ReadonlyMap<string, AccountStatus> = new Map([
  ["RepoTakendown", "takendown"],
  ["RepoSuspended", "suspended"],
  ["RepoDeactivated", "deactivated"],
]);

export const refusalStatus = ({ error }: Refusal): AccountStatus | null =>
  errorStatuses.get(error) ?? null;

/** Errors: `upstream_refused`, also for an unknown account. */
export async function requestAccountState(
  fetch: PoliteFetch,
  { did, pds }: Pick<ResolvedAccount, "did" | "pds">,
): Promise<AccountState> {
  const response = await query(fetch, xrpcUrl(pds, "com.atproto.sync.getRepoStatus", { did }));
  if ("refusal" in response) {
    const status = refusalStatus(response.refusal);
    if (status !== null) return { status, rev: null };
    if (isUnknownMethod(response.refusal)) return { status: null, rev: null };
    throw refusalError(pds.host, response.refusal);
  }
  const { active, status, rev } = asFields(response.value);
  return {
    status: active === true ? "active" : active === false ? inactiveStatus(status) : null,
    rev: typeof rev === "string" && isTid(rev) ? rev : null,
  };
}

const isUnknownMethod = ({ status, error }: Refusal): boolean =>
  status === 501 || (status === 404 && error !== "RepoNotFound");

const inactiveStatus = (status: unknown): AccountStatus => statuses.get(status) ?? "inactive";
