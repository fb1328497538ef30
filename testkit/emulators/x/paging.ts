import { type Call, type CallResponse, requestedFields } from "./call.ts";
import type { EmulatedPost } from "./model.ts";
import { badParameter } from "./problems.ts";
import { showIncludes, showPost } from "./show.ts";

export function postsPage(call: Call, posts: readonly EmulatedPost[], size: number): CallResponse {
  const { query, world } = call;
  const start = readStart(query);
  const page = posts.slice(start, start + size);
  const fields = requestedFields(call);
  const includes = showIncludes(page, fields, world);
  const isLast = start + size >= posts.length;
  return {
    body: {
      ...(page.length === 0 ? {} : { data: page.map((post) => showPost(post, fields)) }),
      ...(includes === undefined ? {} : { includes }),
      meta: {
        result_count: page.length,
        ...(page.length === 0 ? {} : { newest_id: page[0]?.id, oldest_id: page.at(-1)?.id }),
        ...(isLast ? {} : { next_token: tokenFor(query, start + size) }),
      },
    },
    reads: {
      posts: page.length + countObjects(includes, "posts", "tweets"),
      users: countObjects(includes, "users"),
    },
  };
}

export function countObjects(
  includes: Record<string, unknown> | undefined,
  ...names: readonly string[]
): number {
  return names.reduce((sum, name) => {
    const list = includes?.[name];
    return sum + (Array.isArray(list) ? list.length : 0);
  }, 0);
}

/** Valid only for the same request; only `max_results` may differ. */
export function tokenFor(query: URLSearchParams, start: number): string {
  return `${queryChecksum(query)}z${start.toString(36)}.~:/+ &%é"==`;
}

export function readStart(query: URLSearchParams): number {
  const name = query.has("next_token") ? "next_token" : "pagination_token";
  const token = query.get(name);
  if (token === null) return 0;
  const [, checksum, start] = /^([a-y0-9]+)z([a-z0-9]+)\.~:\/\+ &%é"==$/.exec(token) ?? [];
  if (start === undefined || checksum !== queryChecksum(query)) {
    throw badParameter(name, token, `'${name}' value is not valid for this request`);
  }
  return Number.parseInt(start, 36);
}

function queryChecksum(query: URLSearchParams): string {
  const parameters = [...query].filter(
    ([name]) => !["next_token", "pagination_token", "max_results"].includes(name),
  );
  let hash = 7;
  for (const character of JSON.stringify(parameters))
    hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 2_147_483_647;
  return `b${hash.toString(35)}`;
}
