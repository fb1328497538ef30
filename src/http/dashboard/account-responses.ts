import type { AuditEntry } from "../../accounts/admin/audit-operations.ts";
import type { AccountListing, AccountPosition } from "../../accounts/admin/listing-operations.ts";
import type { ProviderName } from "../../accounts/sign-in/provider.ts";
import { iso, isoOrNull } from "../submission/window.ts";
import type { AuditEntryResponse } from "./contract/audit.ts";
import type { AccountListingResponse } from "./contract/operator.ts";

export function accountListingResponse(listing: AccountListing): AccountListingResponse {
  return {
    id: listing.id,
    name: listing.name,
    provider: getProvider(listing.provider),
    role: listing.role,
    created_at: iso(listing.createdMs),
    seen_at: isoOrNull(listing.seenMs),
    suspended_at: isoOrNull(listing.suspendedMs),
    suspended_reason: listing.suspendedReason,
    keys: listing.keys,
    searches_24h: listing.searches24h,
    limits: {
      requests_per_second: listing.requestsPerSecond,
      submissions_per_minute: listing.submissionsPerMinute,
    },
  };
}

export function auditEntry({ atMs, ...entry }: AuditEntry): AuditEntryResponse {
  return { ...entry, at: iso(atMs) };
}

export function writeAccountCursor({ createdMs, id }: AccountPosition): string {
  return `${createdMs}-${id}`;
}

/** The text must have passed the schema. */
export function readAccountCursor(text: string): AccountPosition {
  const dash = text.indexOf("-");
  return { createdMs: Number(text.slice(0, dash)), id: text.slice(dash + 1) };
}

function getProvider(provider: string | null): ProviderName | null {
  return provider === "github" || provider === "gitlab" ? provider : null;
}
