import { type Call, type CallResponse, requestedFields } from "./call.ts";
import type { EmulatedUser } from "./model.ts";
import { readStart, tokenFor } from "./paging.ts";
import { checkParameters, numberIn, userExpansions, userParameters } from "./parameters.ts";
import { notFound } from "./problems.ts";
import { showUser } from "./show.ts";

export function singleUser(
  call: Call,
  parameter: string,
  isRequested: (user: EmulatedUser) => boolean,
): CallResponse {
  checkParameters(call.query, userParameters, userExpansions);
  const user = call.world.users.find(isRequested);
  if (user === undefined)
    return { body: { errors: [notFound("user", parameter, call.id)] }, reads: {} };
  if (user.isSuspended) {
    const suspendedError = {
      ...notFound("user", parameter, call.id),
      title: "Forbidden",
      detail: `User has been suspended: [${call.id}].`,
    };
    return { body: { errors: [suspendedError] }, reads: {} };
  }
  return { body: { data: showUser(user, requestedFields(call), call.world) }, reads: { users: 1 } };
}

export function usersPage(
  call: Call,
  ids: readonly string[],
  sizes: readonly [number, number],
  defaultSize: number,
): CallResponse {
  const { query, world } = call;
  checkParameters(query, ["max_results", "pagination_token", ...userParameters], userExpansions);
  const users = ids.flatMap(
    (id) => world.users.find((user) => user.id === id && !user.isSuspended) ?? [],
  );
  const size = numberIn(query, "max_results", sizes, defaultSize);
  const start = readStart(query);
  const page = users.slice(start, start + size);
  const isLast = start + size >= users.length;
  return {
    body: {
      ...(page.length === 0
        ? {}
        : { data: page.map((user) => showUser(user, requestedFields(call), call.world)) }),
      meta: {
        result_count: page.length,
        ...(isLast ? {} : { next_token: tokenFor(query, start + size) }),
      },
    },
    reads: { users: page.length },
  };
}
