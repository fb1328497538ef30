import { answers, ok } from "./answers.ts";
import { accountJson, statusJson } from "./entities.ts";
import { compareIds } from "./ids.ts";
import type { Status } from "./network.ts";
import { pageBy } from "./paging.ts";
import { type EmulatedRequest, isVisible, type Route, refusedWithout } from "./route.ts";

/** https://docs.joinmastodon.org/methods/statuses/ */
export const statusRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v1\/statuses$/, answer: statusesById },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)$/, answer: one },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)\/context$/, answer: context },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)\/reblogged_by$/, answer: rebloggedBy },
];

const anyCaller = { scope: "read:statuses", kind: "anybody" } as const;

function visibleStatus(requested: EmulatedRequest, id: string): Status | null {
  const status = requested.network.statuses.get(id);
  return status !== undefined && isVisible(status, requested) ? status : null;
}

function one(requested: EmulatedRequest, [id = ""]: readonly string[]) {
  const refused = refusedWithout(requested, anyCaller);
  if (refused !== null) return refused;
  const status = visibleStatus(requested, id);
  return status === null ? answers.notFound : ok(statusJson(status, requested));
}

function statusesById(requested: EmulatedRequest) {
  const refused = refusedWithout(requested, anyCaller);
  if (refused !== null) return refused;
  if (requested.settings.differences.noBatch) return answers.notAllowed;
  const statuses = requested.query
    .getAll("id[]")
    .flatMap((id) => visibleStatus(requested, id) ?? []);
  return ok(statuses.map((status) => statusJson(status, requested)));
}

/** Unauthenticated callers get 40 ancestors and 60 descendants, 20 deep. */
function context(requested: EmulatedRequest, [id = ""]: readonly string[]) {
  const refused = refusedWithout(requested, anyCaller);
  if (refused !== null) return refused;
  const status = visibleStatus(requested, id);
  if (status === null) return answers.notFound;
  const isUser = (requested.token?.accountId ?? null) !== null;
  const max = isUser
    ? { before: 4_096, after: 4_096, depth: Infinity }
    : { before: 40, after: 60, depth: 20 };
  const ancestors = ancestorsOf(status, requested).slice(-max.before);
  const descendants = descendantsOf(status, requested, max.depth).slice(0, max.after);
  const json = (each: Status) => statusJson(each, requested);
  return ok({ ancestors: ancestors.map(json), descendants: descendants.map(json) });
}

function ancestorsOf(status: Status, requested: EmulatedRequest): Status[] {
  const above: Status[] = [];
  let current: Status | null = status;
  while (current !== null && current.inReplyToId !== null) {
    current = visibleStatus(requested, current.inReplyToId);
    if (current !== null) above.unshift(current);
  }
  return above;
}

function descendantsOf(status: Status, requested: EmulatedRequest, depth: number): Status[] {
  if (depth <= 0) return [];
  return [...requested.network.statuses.values()]
    .filter(({ inReplyToId }) => inReplyToId === status.id)
    .filter((reply) => isVisible(reply, requested))
    .sort((a, b) => compareIds(a.id, b.id))
    .flatMap((reply) => [reply, ...descendantsOf(reply, requested, depth - 1)]);
}

function rebloggedBy(requested: EmulatedRequest, [id = ""]: readonly string[]) {
  const refused = refusedWithout(requested, anyCaller);
  if (refused !== null) return refused;
  if (visibleStatus(requested, id) === null) return answers.notFound;
  const reblogs = [...requested.network.statuses.values()].filter(
    ({ reblogOfId }) => reblogOfId === id,
  );
  const { items, headers } = pageBy(reblogs, (reblog) => reblog.id, requested, {
    defaultLimit: 40,
    maxLimit: 80,
  });
  const accounts = items.flatMap(
    ({ accountId }) => requested.network.accounts.get(accountId) ?? [],
  );
  return ok(
    accounts.map((account) => accountJson(account, requested)),
    headers,
  );
}
