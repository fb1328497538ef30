import type { ProviderName } from "../../../accounts/sign-in/provider.ts";

/** GET /dashboard/api/sessions. */
export type SessionListing = {
  id: string;
  is_this: boolean;
  method: ProviderName | "link";
  /** Browser and system, such as "Firefox on Linux". */
  agent: string;
  address_group: string;
  created_at: string;
  used_at: string;
  expires_at: string;
};
export type SessionsResponse = { sessions: readonly SessionListing[] };

/** GET /dashboard/api/spending: spending on X this month (UTC), including running calls. */
export type SpendingResponse = {
  /** Such as 2026-11. */
  month: string;
  /** Spending with the account's own credentials, which X bills to their owner; null without any. */
  own: AccountSpending | null;
  /** Spending with the deployment's credentials; null without any. */
  shared: AccountSpending | null;
  /** Reads of all accounts together. */
  deployment: { post_reads: number; most_post_reads: number } | null;
};
export type AccountSpending = { post_reads: number; user_reads: number; usd: number };

/** GET /dashboard/api/account/export: NDJSON, as an attachment. */
/** DELETE /dashboard/api/account: 204, and the session ends. */
export type DeleteAccountRequest = { confirm: string };
