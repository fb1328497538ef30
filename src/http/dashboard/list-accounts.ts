import type {
  AccountListing,
  AccountPageRequest,
  AccountPosition,
} from "../../accounts/admin/listing-operations.ts";
import type { HttpContext } from "../context.ts";

/** Maximum reads per page: searches with few matches get partial pages. */
const maxReads = 20;

export async function listAccounts(
  { accounts, clock }: Pick<HttpContext, "accounts" | "clock">,
  { query, after, limit }: Omit<AccountPageRequest, "nowMs">,
): Promise<{ accounts: readonly AccountListing[]; next: AccountPosition | null }> {
  const nowMs = clock.now();
  const listings: AccountListing[] = [];
  let position = after;
  for (let reads = 0; reads < maxReads; reads += 1) {
    const pageRequest = { query, after: position, limit: limit + 1 - listings.length, nowMs };
    const { accounts: pageAccounts, lastScanned } = await accounts.read(
      "listAccounts",
      pageRequest,
    );
    listings.push(...pageAccounts);
    position = lastScanned;
    if (lastScanned === null || listings.length > limit) break;
  }
  const lastListing = listings.length > limit ? listings[limit - 1] : undefined;
  return { accounts: listings.slice(0, limit), next: lastListing ?? position };
}
