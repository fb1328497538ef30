import { answers, ok } from "./answers.ts";
import { accountJson, statusJson } from "./entities.ts";
import { acctOf } from "./mark-up.ts";
import type { Account } from "./network.ts";
import { pageBy } from "./paging.ts";
import { type EmulatedRequest, isVisible, type Route, refusedWithout } from "./route.ts";

/** https://docs.joinmastodon.org/methods/accounts/ */
export const accountRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v1\/accounts\/lookup$/, answer: lookup },
  { method: "GET", path: /^\/api\/v1\/accounts\/verify_credentials$/, answer: verify },
  { method: "GET", path: /^\/api\/v1\/accounts$/, answer: accountsById },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)$/, answer: one },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/statuses$/, answer: statuses },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/followers$/, answer: followers },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/following$/, answer: following },
];

const anyCaller = { scope: "read:accounts", kind: "anybody" } as const;

function lookup(requested: EmulatedRequest) {
  const refused = refusedWithout(requested, anyCaller);
  if (refused !== null) return refused;
  const acct = requested.query.get("acct");
  if (!acct) return answers.missing("acct");
  const account = accountNamed(acct, requested);
  return account === undefined ? answers.notFound : ok(accountJson(account, requested));
}

export function accountNamed(
  written: string,
  { network, settings, url }: Pick<EmulatedRequest, "network" | "settings" | "url">,
): Account | undefined {
  const [name = "", host] = written.replace(/^@/, "").toLowerCase().split("@");
  const isOwn = host === undefined || host === (settings.domain ?? new URL(url).host);
  return [...network.accounts.values()].find(
    (account) =>
      account.isKnown && acctOf(account).toLowerCase() === (isOwn ? name : `${name}@${host}`),
  );
}

function verify(requested: EmulatedRequest) {
  const refused = refusedWithout(requested, { scope: "read:accounts", kind: "user" });
  if (refused !== null) return refused;
  const account = requested.network.accounts.get(requested.token?.accountId ?? "");
  if (account === undefined) return answers.invalidToken;
  return ok({
    ...accountJson(account, requested),
    source: { privacy: "public" },
    role: { id: "-99" },
  });
}

function accountsById(requested: EmulatedRequest) {
  const refused = refusedWithout(requested, anyCaller);
  if (refused !== null) return refused;
  if (requested.settings.differences.noBatch) return answers.notAllowed;
  const accounts = requested.query
    .getAll("id[]")
    .flatMap((id) => requested.network.accounts.get(id) ?? []);
  return ok(accounts.map((account) => accountJson(account, requested)));
}

function one(requested: EmulatedRequest, [id = ""]: readonly string[]) {
  const refused = refusedWithout(requested, anyCaller);
  if (refused !== null) return refused;
  const account = requested.network.accounts.get(id);
  return account?.isKnown ? ok(accountJson(account, requested)) : answers.notFound;
}

function statuses(requested: EmulatedRequest, [id = ""]: readonly string[]) {
  const refused = refusedWithout(requested, { scope: "read:statuses", kind: "anybody" });
  if (refused !== null) return refused;
  const { network, query } = requested;
  if (!network.accounts.get(id)?.isKnown) return answers.notFound;
  const statuses = [...network.statuses.values()].filter(
    (status) =>
      status.accountId === id &&
      isVisible(status, requested) &&
      (query.get("only_media") !== "true" || status.media.length > 0) &&
      (query.get("exclude_replies") !== "true" || status.inReplyToId === null) &&
      (query.get("exclude_reblogs") !== "true" || status.reblogOfId === null),
  );
  const { items, headers } = pageBy(statuses, (status) => status.id, requested, {
    defaultLimit: 20,
    maxLimit: 40,
  });
  return ok(
    items.map((status) => statusJson(status, requested)),
    headers,
  );
}

function followers(requested: EmulatedRequest, [id = ""]: readonly string[]) {
  return followPage(
    requested,
    id,
    ({ followedId }) => followedId === id,
    ({ followerId }) => followerId,
  );
}

function following(requested: EmulatedRequest, [id = ""]: readonly string[]) {
  return followPage(
    requested,
    id,
    ({ followerId }) => followerId === id,
    ({ followedId }) => followedId,
  );
}

type Follow = EmulatedRequest["network"]["follows"][number];

function followPage(
  requested: EmulatedRequest,
  id: string,
  isOf: (follow: Follow) => boolean,
  other: (follow: Follow) => string,
) {
  const refused = refusedWithout(requested, anyCaller);
  if (refused !== null) return refused;
  const { network, token } = requested;
  const account = network.accounts.get(id);
  if (!account?.isKnown) return answers.notFound;
  const isHidden = account.suspended || (account.hidesCollections && token?.accountId !== id);
  const follows = isHidden ? [] : network.follows.filter(isOf);
  const { items, headers } = pageBy(follows, (follow) => follow.id, requested, {
    defaultLimit: 40,
    maxLimit: 80,
  });
  const accounts = items.flatMap((follow) => network.accounts.get(other(follow)) ?? []);
  return ok(
    accounts.map((each) => accountJson(each, requested)),
    headers,
  );
}
