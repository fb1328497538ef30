import { accountJson, statusJson } from "./entities.ts";
import { accountAcct } from "./mark-up.ts";
import type { Account } from "./network.ts";
import { pageBy } from "./paging.ts";
import { ok, responses } from "./responses.ts";
import { authorizationError, type EmulatedRequest, isVisible, type Route } from "./route.ts";

/** https://docs.joinmastodon.org/methods/accounts/ */
export const accountRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v1\/accounts\/lookup$/, respond: lookup },
  { method: "GET", path: /^\/api\/v1\/accounts\/verify_credentials$/, respond: verify },
  { method: "GET", path: /^\/api\/v1\/accounts$/, respond: accountsById },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)$/, respond: accountById },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/statuses$/, respond: statuses },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/followers$/, respond: followers },
  { method: "GET", path: /^\/api\/v1\/accounts\/([^/]+)\/following$/, respond: following },
];

const anyCaller = { scope: "read:accounts", kind: "any" } as const;

function lookup(request: EmulatedRequest) {
  const error = authorizationError(request, anyCaller);
  if (error !== null) return error;
  const acct = request.query.get("acct");
  if (!acct) return responses.parameterRequired("acct");
  const account = accountNamed(acct, request);
  return account === undefined ? responses.notFound : ok(accountJson(account, request));
}

export function accountNamed(
  acct: string,
  { network, settings, url }: Pick<EmulatedRequest, "network" | "settings" | "url">,
): Account | undefined {
  const [name = "", host] = acct.replace(/^@/, "").toLowerCase().split("@");
  const isOwn = host === undefined || host === (settings.domain ?? new URL(url).host);
  return [...network.accounts.values()].find(
    (account) =>
      account.isKnown && accountAcct(account).toLowerCase() === (isOwn ? name : `${name}@${host}`),
  );
}

function verify(request: EmulatedRequest) {
  const error = authorizationError(request, { scope: "read:accounts", kind: "user" });
  if (error !== null) return error;
  const account = request.network.accounts.get(request.token?.accountId ?? "");
  if (account === undefined) return responses.invalidToken;
  return ok({
    ...accountJson(account, request),
    source: { privacy: "public" },
    role: { id: "-99" },
  });
}

function accountsById(request: EmulatedRequest) {
  const error = authorizationError(request, anyCaller);
  if (error !== null) return error;
  if (request.settings.differences.noBatch) return responses.methodNotAllowed;
  const accounts = request.query
    .getAll("id[]")
    .flatMap((id) => request.network.accounts.get(id) ?? []);
  return ok(accounts.map((account) => accountJson(account, request)));
}

function accountById(request: EmulatedRequest, [id = ""]: readonly string[]) {
  const error = authorizationError(request, anyCaller);
  if (error !== null) return error;
  const account = request.network.accounts.get(id);
  return account?.isKnown ? ok(accountJson(account, request)) : responses.notFound;
}

function statuses(request: EmulatedRequest, [id = ""]: readonly string[]) {
  const error = authorizationError(request, { scope: "read:statuses", kind: "any" });
  if (error !== null) return error;
  const { network, query } = request;
  if (!network.accounts.get(id)?.isKnown) return responses.notFound;
  const statuses = [...network.statuses.values()].filter(
    (status) =>
      status.accountId === id &&
      isVisible(status, request) &&
      (query.get("only_media") !== "true" || status.media.length > 0) &&
      (query.get("exclude_replies") !== "true" || status.inReplyToId === null) &&
      (query.get("exclude_reblogs") !== "true" || status.reblogOfId === null),
  );
  const { items, headers } = pageBy(statuses, (status) => status.id, request, {
    defaultLimit: 20,
    maxLimit: 40,
  });
  return ok(
    items.map((status) => statusJson(status, request)),
    headers,
  );
}

function followers(request: EmulatedRequest, [id = ""]: readonly string[]) {
  return followPage(
    request,
    id,
    ({ followedId }) => followedId === id,
    ({ followerId }) => followerId,
  );
}

function following(request: EmulatedRequest, [id = ""]: readonly string[]) {
  return followPage(
    request,
    id,
    ({ followerId }) => followerId === id,
    ({ followedId }) => followedId,
  );
}

type Follow = EmulatedRequest["network"]["follows"][number];

function followPage(
  request: EmulatedRequest,
  id: string,
  includesFollow: (follow: Follow) => boolean,
  accountIdOf: (follow: Follow) => string,
) {
  const error = authorizationError(request, anyCaller);
  if (error !== null) return error;
  const { network, token } = request;
  const account = network.accounts.get(id);
  if (!account?.isKnown) return responses.notFound;
  const isHidden = account.suspended || (account.hidesCollections && token?.accountId !== id);
  const follows = isHidden ? [] : network.follows.filter(includesFollow);
  const { items, headers } = pageBy(follows, (follow) => follow.id, request, {
    defaultLimit: 40,
    maxLimit: 80,
  });
  const accounts = items.flatMap((follow) => network.accounts.get(accountIdOf(follow)) ?? []);
  return ok(
    accounts.map((each) => accountJson(each, request)),
    headers,
  );
}
