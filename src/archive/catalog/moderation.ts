import type { Platform } from "../../posts/post.ts";
import type { Moderation } from "../segments/segment-writer.ts";
import type { CatalogAccounts } from "./accounts.ts";
import type { CatalogLabels } from "./labels.ts";

const hidingLabels = new Set(["!takedown", "!hide", "!suspend"]);
const noUnauthenticated = "!no-unauthenticated";

type PostName = { platform: Platform; uri: string; userId: string | null };

/**
 * Hides posts of accounts that are inactive or exclude unauthenticated readers, as all readers of
 * an archive are, and posts whose own labels or account labels hide them.
 */
export function findModeration(
  { platform, uri, userId }: PostName,
  accounts: CatalogAccounts,
  labels: CatalogLabels,
): Moderation {
  const account = userId === null ? null : accounts.read(platform, userId);
  const postLabels = labels.labelValues(platform, uri);
  const accountLabels = userId === null ? [] : labels.labelValues(platform, userId);
  const all = [...new Set([...postLabels, ...accountLabels])];
  const isAccountHidden =
    account !== null && (account.status !== "active" || account.labels.includes(noUnauthenticated));
  return {
    hidden:
      isAccountHidden ||
      all.some((value) => hidingLabels.has(value)) ||
      accountLabels.includes(noUnauthenticated),
    labels: all.filter((value) => !value.startsWith("!")),
  };
}
