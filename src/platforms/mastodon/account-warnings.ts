import { asFields } from "../fields.ts";
import type { UpstreamWarning } from "../upstream.ts";
import type { ServerAccess } from "./server-access.ts";

/** A server knows only part of another server's account. */
export function remoteAccountWarnings(
  { instance }: ServerAccess,
  account: unknown,
): UpstreamWarning[] {
  const { acct } = asFields(account);
  const isForeign =
    typeof acct === "string" && acct.includes("@") && !acct.endsWith(`@${instance}`);
  if (!isForeign) return [];
  return [
    {
      code: "partial_view",
      message: `${instance} knows only part of an account on another server: posts, counts and followers may be missing`,
      hint: "query the account's own server, or add a credential for it",
    },
  ];
}

export const asPartial = (warning: UpstreamWarning): UpstreamWarning => ({
  ...warning,
  isPartial: true,
});

export function hiddenListWarnings(account: unknown): UpstreamWarning[] {
  if (asFields(account).hide_collections !== true) return [];
  return [
    {
      code: "hidden_list",
      message: "the account hides its followers and the accounts that it follows",
      isPartial: true,
    },
  ];
}
