import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { makePeople } from "../../testkit/bluesky-world/people.ts";
import { selfLabels } from "../../testkit/bluesky-world/records.ts";
import type { Batch } from "./batch.ts";
import type { Blob, Network } from "./network.ts";
import { type Account, reasons, stateOf } from "./network-content.ts";

/** All accounts without a role here are random. */
export const cast = {
  /** Most others follow it, and reply to and repost its first post. */
  star: 0,
  prolific: 1,
  reader: 3,
  /** Has a credential, like `reader`. */
  secondReader: 4,
  silent: 5,
  /** Authorizes Earshot in a browser. */
  authorizer: 6,
} as const;

export const authorizerPassword = "a password to log in with";

const peopleCount = 210;
const accountsPerReason = 3;
const firstHiddenIndex = peopleCount - reasons.length * accountsPerReason;

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export async function makeAccounts(network: Network): Promise<Account[]> {
  const passwords = new Map([[cast.authorizer, authorizerPassword]]);
  const people = await makePeople(network, peopleCount, passwords);
  const accounts = people.map(({ did, handle, authorization }, index): Account => {
    const reason = reasons[Math.floor((index - firstHiddenIndex) / accountsPerReason)] ?? "";
    const emptyProfile = {
      name: null,
      description: null,
      avatar: null,
      createdMs: null,
      labels: [],
    };
    return { index, did, handle, authorization, state: stateOf[reason], reason, ...emptyProfile };
  });
  for (const account of accounts.slice(10, 14)) {
    account.handle = `renamed-${account.handle}`;
    const { handle, authorization } = account;
    await network.call("com.atproto.identity.updateHandle", authorization, { handle });
  }
  return accounts;
}

export async function uploadPictures(
  network: Network,
  accounts: readonly Account[],
): Promise<Map<Account, Blob>> {
  const pictures = new Map<Account, Blob>();
  for (const account of accounts) {
    if (account.index % 5 > 1) continue;
    pictures.set(account, await network.upload(account.authorization, picture));
  }
  return pictures;
}

export function addProfile(batch: Batch, draw: Draw, createdMs: number, avatar: Blob | null): void {
  const { author } = batch;
  if (author.index === cast.silent || (author.state === "visible" && draw.chance(0.1))) return;
  const isRestricted = author.reason === "hidden from signed-out viewers";
  author.name = draw.chance(0.9) ? `Person ${draw.below(1_000)} ✦` : null;
  author.description = draw.chance(0.7) ? `about ${draw.below(1_000)}\nand <more> #things` : null;
  author.avatar = avatar?.ref.$link ?? null;
  author.createdMs = createdMs;
  author.labels = isRestricted ? ["!no-unauthenticated"] : [];
  batch.add("app.bsky.actor.profile", {
    createdAt: new Date(createdMs).toISOString(),
    ...(author.name === null ? {} : { displayName: author.name }),
    ...(author.description === null ? {} : { description: author.description }),
    ...(avatar === null ? {} : { avatar }),
    ...(isRestricted ? { labels: selfLabels(author.labels) } : {}),
  });
}
