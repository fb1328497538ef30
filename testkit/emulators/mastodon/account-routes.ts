import { answers, ok } from "./answers.ts";
import { type Asked, isVisible, type Route, refusedWithout } from "./asked.ts";
import { accountJson, statusJson } from "./entities.ts";
import { acctOf } from "./mark-up.ts";
import type { Account } from "./network.ts";
import { pageBy } from "./paging.ts";

/** https://docs.joinmastodon.org/methods/accounts/ */
export const accountRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v1\/accounts\/lookup$/, answer: lookup },
  { method: "GET", path: /^\/api\/v1\/accounts\/verify_credentials$/, answer: verify },
  { method: "GET", path: /^\/api\/v1\/accounts$/, answer: several },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)$/, answer: one },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/statuses$/, answer: statuses },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/followers$/, answer: followers },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/following$/, answer: following },
];

const anybody = { scope: "read:accounts", kind: "anybody" } as const;

function lookup(asked: Asked) {
  const refused = refusedWithout(asked, anybody);
  if (refused !== null) return refused;
  const acct = asked.query.get("acct");
  if (!acct) return answers.missing("acct");
  const account = accountNamed(acct, asked);
  return account === undefined ? answers.notFound : ok(accountJson(account, asked));
}

/** The account of a name, where the server has heard of it; its own also by their whole names. */
export function accountNamed(
  written: string,
  { network, character, url }: Pick<Asked, "network" | "character" | "url">,
): Account | undefined {
  const [name = "", host] = written.replace(/^@/, "").toLowerCase().split("@");
  const isOwn = host === undefined || host === (character.domain ?? new URL(url).host);
  return [...network.accounts.values()].find(
    (account) =>
      account.isKnown && acctOf(account).toLowerCase() === (isOwn ? name : `${name}@${host}`),
  );
}

function verify(asked: Asked) {
  const refused = refusedWithout(asked, { scope: "read:accounts", kind: "user" });
  if (refused !== null) return refused;
  const account = asked.network.accounts.get(asked.token?.accountId ?? "");
  if (account === undefined) return answers.invalidToken;
  return ok({ ...accountJson(account, asked), source: { privacy: "public" }, role: { id: "-99" } });
}

function several(asked: Asked) {
  const refused = refusedWithout(asked, anybody);
  if (refused !== null) return refused;
  if (asked.character.differences.noBatch) return answers.notAllowed;
  const found = asked.query.getAll("id[]").flatMap((id) => asked.network.accounts.get(id) ?? []);
  return ok(found.map((account) => accountJson(account, asked)));
}

function one(asked: Asked, [id = ""]: readonly string[]) {
  const refused = refusedWithout(asked, anybody);
  if (refused !== null) return refused;
  const account = asked.network.accounts.get(id);
  return account?.isKnown ? ok(accountJson(account, asked)) : answers.notFound;
}

function statuses(asked: Asked, [id = ""]: readonly string[]) {
  const refused = refusedWithout(asked, { scope: "read:statuses", kind: "anybody" });
  if (refused !== null) return refused;
  const { network, query } = asked;
  if (!network.accounts.get(id)?.isKnown) return answers.notFound;
  const own = [...network.statuses.values()].filter(
    (status) =>
      status.accountId === id &&
      isVisible(status, asked) &&
      (query.get("only_media") !== "true" || status.media.length > 0) &&
      (query.get("exclude_replies") !== "true" || status.inReplyToId === null) &&
      (query.get("exclude_reblogs") !== "true" || status.reblogOfId === null),
  );
  const { items, headers } = pageBy(own, (status) => status.id, asked, { usual: 20, most: 40 });
  return ok(
    items.map((status) => statusJson(status, asked)),
    headers,
  );
}

function followers(asked: Asked, [id = ""]: readonly string[]) {
  return listed(
    asked,
    id,
    ({ followedId }) => followedId === id,
    ({ followerId }) => followerId,
  );
}

function following(asked: Asked, [id = ""]: readonly string[]) {
  return listed(
    asked,
    id,
    ({ followerId }) => followerId === id,
    ({ followedId }) => followedId,
  );
}

type Follow = Asked["network"]["follows"][number];

function listed(
  asked: Asked,
  id: string,
  isOf: (follow: Follow) => boolean,
  other: (follow: Follow) => string,
) {
  const refused = refusedWithout(asked, anybody);
  if (refused !== null) return refused;
  const { network, token } = asked;
  const account = network.accounts.get(id);
  if (!account?.isKnown) return answers.notFound;
  const isHidden = account.suspended || (account.hidesCollections && token?.accountId !== id);
  const follows = isHidden ? [] : network.follows.filter(isOf);
  const { items, headers } = pageBy(follows, (follow) => follow.id, asked, { usual: 40, most: 80 });
  const accounts = items.flatMap((follow) => network.accounts.get(other(follow)) ?? []);
  return ok(
    accounts.map((each) => accountJson(each, asked)),
    headers,
  );
}
