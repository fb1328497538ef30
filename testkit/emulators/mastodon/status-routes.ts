import { accountJson, statusJson } from "./entities.ts";
import { compareIds } from "./ids.ts";
import type { Status } from "./network.ts";
import { pageBy } from "./paging.ts";
import { ok, responses } from "./responses.ts";
import { authorizationError, type EmulatedRequest, isVisible, type Route } from "./route.ts";

/** https://docs.joinmastodon.org/methods/statuses/ */
export const statusRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v1\/statuses$/, respond: statusesById },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)$/, respond: statusById },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)\/context$/, respond: context },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)\/reblogged_by$/, respond: rebloggedBy },
];

const anyCaller = { scope: "read:statuses", kind: "any" } as const;

function visibleStatus(request: EmulatedRequest, id: string): Status | null {
  const status = request.network.statuses.get(id);
  return status !== undefined && isVisible(status, request) ? status : null;
}

function statusById(request: EmulatedRequest, [id = ""]: readonly string[]) {
  const error = authorizationError(request, anyCaller);
  if (error !== null) return error;
  const status = visibleStatus(request, id);
  return status === null ? responses.notFound : ok(statusJson(status, request));
}

function statusesById(request: EmulatedRequest) {
  const error = authorizationError(request, anyCaller);
  if (error !== null) return error;
  if (request.settings.differences.noBatch) return responses.methodNotAllowed;
  const statuses = request.query.getAll("id[]").flatMap((id) => visibleStatus(request, id) ?? []);
  return ok(statuses.map((status) => statusJson(status, request)));
}

/** Without a user token: at most 40 ancestors, and at most 60 descendants, 20 levels deep. */
function context(request: EmulatedRequest, [id = ""]: readonly string[]) {
  const error = authorizationError(request, anyCaller);
  if (error !== null) return error;
  const status = visibleStatus(request, id);
  if (status === null) return responses.notFound;
  const isUser = (request.token?.accountId ?? null) !== null;
  const max = isUser
    ? { before: 4_096, after: 4_096, depth: Infinity }
    : { before: 40, after: 60, depth: 20 };
  const ancestors = statusAncestors(status, request).slice(-max.before);
  const descendants = statusDescendants(status, request, max.depth).slice(0, max.after);
  const json = (each: Status) => statusJson(each, request);
  return ok({ ancestors: ancestors.map(json), descendants: descendants.map(json) });
}

function statusAncestors(status: Status, request: EmulatedRequest): Status[] {
  const ancestors: Status[] = [];
  let current: Status | null = status;
  while (current !== null && current.inReplyToId !== null) {
    current = visibleStatus(request, current.inReplyToId);
    if (current !== null) ancestors.unshift(current);
  }
  return ancestors;
}

function statusDescendants(status: Status, request: EmulatedRequest, depth: number): Status[] {
  if (depth <= 0) return [];
  return [...request.network.statuses.values()]
    .filter(({ inReplyToId }) => inReplyToId === status.id)
    .filter((reply) => isVisible(reply, request))
    .sort((a, b) => compareIds(a.id, b.id))
    .flatMap((reply) => [reply, ...statusDescendants(reply, request, depth - 1)]);
}

function rebloggedBy(request: EmulatedRequest, [id = ""]: readonly string[]) {
  const error = authorizationError(request, anyCaller);
  if (error !== null) return error;
  if (visibleStatus(request, id) === null) return responses.notFound;
  const reblogs = [...request.network.statuses.values()].filter(
    ({ reblogOfId }) => reblogOfId === id,
  );
  const { items, headers } = pageBy(reblogs, (reblog) => reblog.id, request, {
    defaultLimit: 40,
    maxLimit: 80,
  });
  const accounts = items.flatMap(({ accountId }) => request.network.accounts.get(accountId) ?? []);
  return ok(
    accounts.map((account) => accountJson(account, request)),
    headers,
  );
}
