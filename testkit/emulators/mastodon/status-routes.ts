import { answers, ok } from "./answers.ts";
import { type Asked, isVisible, type Route, refusedWithout } from "./asked.ts";
import { accountJson, statusJson } from "./entities.ts";
import { compareIds } from "./ids.ts";
import type { Status } from "./network.ts";
import { pageBy } from "./paging.ts";

/** https://docs.joinmastodon.org/methods/statuses/ */
export const statusRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v1\/statuses$/, answer: several },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)$/, answer: one },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)\/context$/, answer: context },
  { method: "GET", path: /^\/api\/v1\/statuses\/([^/]+)\/reblogged_by$/, answer: rebloggedBy },
];

const anybody = { scope: "read:statuses", kind: "anybody" } as const;

function found(asked: Asked, id: string): Status | null {
  const status = asked.network.statuses.get(id);
  return status !== undefined && isVisible(status, asked) ? status : null;
}

function one(asked: Asked, [id = ""]: readonly string[]) {
  const refused = refusedWithout(asked, anybody);
  if (refused !== null) return refused;
  const status = found(asked, id);
  return status === null ? answers.notFound : ok(statusJson(status, asked));
}

function several(asked: Asked) {
  const refused = refusedWithout(asked, anybody);
  if (refused !== null) return refused;
  if (asked.character.differences.noBatch) return answers.notAllowed;
  const statuses = asked.query.getAll("id[]").flatMap((id) => found(asked, id) ?? []);
  return ok(statuses.map((status) => statusJson(status, asked)));
}

/** Those who have not signed in are told 40 before, 60 after, 20 deep. */
function context(asked: Asked, [id = ""]: readonly string[]) {
  const refused = refusedWithout(asked, anybody);
  if (refused !== null) return refused;
  const status = found(asked, id);
  if (status === null) return answers.notFound;
  const isUser = (asked.token?.accountId ?? null) !== null;
  const most = isUser
    ? { before: 4_096, after: 4_096, depth: Infinity }
    : { before: 40, after: 60, depth: 20 };
  const ancestors = ancestorsOf(status, asked).slice(-most.before);
  const descendants = descendantsOf(status, asked, most.depth).slice(0, most.after);
  const json = (each: Status) => statusJson(each, asked);
  return ok({ ancestors: ancestors.map(json), descendants: descendants.map(json) });
}

function ancestorsOf(status: Status, asked: Asked): Status[] {
  const above: Status[] = [];
  let current: Status | null = status;
  while (current !== null && current.inReplyToId !== null) {
    current = found(asked, current.inReplyToId);
    if (current !== null) above.unshift(current);
  }
  return above;
}

/** Depth first, the oldest answer first. */
function descendantsOf(status: Status, asked: Asked, depth: number): Status[] {
  if (depth <= 0) return [];
  return [...asked.network.statuses.values()]
    .filter(({ inReplyToId }) => inReplyToId === status.id)
    .filter((reply) => isVisible(reply, asked))
    .sort((a, b) => compareIds(a.id, b.id))
    .flatMap((reply) => [reply, ...descendantsOf(reply, asked, depth - 1)]);
}

function rebloggedBy(asked: Asked, [id = ""]: readonly string[]) {
  const refused = refusedWithout(asked, anybody);
  if (refused !== null) return refused;
  if (found(asked, id) === null) return answers.notFound;
  const reblogs = [...asked.network.statuses.values()].filter(
    ({ reblogOfId }) => reblogOfId === id,
  );
  const { items, headers } = pageBy(reblogs, (reblog) => reblog.id, asked, { usual: 40, most: 80 });
  const accounts = items.flatMap(({ accountId }) => asked.network.accounts.get(accountId) ?? []);
  return ok(
    accounts.map((account) => accountJson(account, asked)),
    headers,
  );
}
