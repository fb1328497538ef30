import { accountByHandle, fromAccount } from "@earshot/query/facets";
import type { Archive } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { accountTarget } from "../../platforms/bare-name.ts";
import type { UserTarget } from "../../platforms/target.ts";
import { makeUserTarget } from "../../platforms/target-names.ts";
import type { Platform } from "../../posts/post.ts";

type Source = { archive: Pick<Archive, "accountsNamed" | "search">; clock: Pick<Clock, "now"> };

const searchTimeoutMs = 1_000;

/**
 * Finds imported authors without an id only on X and Bluesky, because the catalog has only accounts
 * with an id.
 */
export async function findAccountsByName(
  { archive, clock }: Source,
  name: string,
  account: string,
): Promise<readonly UserTarget[]> {
  const storedAccounts = await archive.accountsNamed(name.toLowerCase());
  if (storedAccounts.length > 0)
    return storedAccounts.map(({ platform, handle }) => makeUserTarget(platform, { handle }));
  const deadlineMs = clock.now() + searchTimeoutMs;
  const accounts = await Promise.all((["bluesky", "x"] as const).map(authorOnPlatform));
  return accounts.filter((target) => target !== null);

  async function authorOnPlatform(platform: Platform): Promise<UserTarget | null> {
    const target = accountTarget(platform, name.toLowerCase());
    if (target === null || target.handle === null) return null;
    const token = fromAccount(accountByHandle(platform, target.handle));
    const { positions } = await archive.search({
      plan: { kind: "terms", elements: [{ kind: "token", token }] },
      platforms: [platform],
      fromMs: null,
      toMs: null,
      after: null,
      limit: 1,
      deadlineMs,
      account,
    });
    return positions.length === 0 ? null : target;
  }
}
