import type { Platform } from "../../posts/post.ts";
import type { Moderation } from "../segments/segment-writer.ts";
import type { Accounts } from "./accounts.ts";
import type { Labels } from "./labels.ts";

/**
 * Who may be seen. A post is hidden while its account is anything but active, while the account asks not to be shown to
 * those who are not signed in (nobody here is), and while a label that hides stands on the post or the account. All of it
 * can be taken back. Other labels become labels of the post; those that begin with `!` are instructions, and shown to nobody.
 */
const hidingLabels = new Set(["!takedown", "!hide", "!suspend"]);
const notForStrangers = "!no-unauthenticated";

type PostName = { platform: Platform; uri: string; userId: string | null };

/** What accounts and labels say of a post; the account's id in lower case. */
export function moderationOf(
  { platform, uri, userId }: PostName,
  accounts: Accounts,
  labels: Labels,
): Moderation {
  const account = userId === null ? null : accounts.read(platform, userId);
  const ofPost = labels.of(platform, uri);
  const ofAccount = userId === null ? [] : labels.of(platform, userId);
  const all = [...new Set([...ofPost, ...ofAccount])];
  const isOutOfSight =
    account !== null && (account.status !== "active" || account.labels.includes(notForStrangers));
  return {
    hidden:
      isOutOfSight ||
      all.some((value) => hidingLabels.has(value)) ||
      ofAccount.includes(notForStrangers),
    labels: all.filter((value) => !value.startsWith("!")),
  };
}
