import { type Call, type CallResponse, requestedFields } from "./call.ts";
import { referencedId } from "./evaluate.ts";
import type { EmulatedPost } from "./model.ts";
import { countObjects, postsPage } from "./paging.ts";
import {
  checkParameters,
  numberIn,
  parameterValues,
  postExpansions,
  postParameters,
} from "./parameters.ts";
import { badParameter, notAuthorized, notFound } from "./problems.ts";
import { showIncludes, showPost } from "./show.ts";
import { visiblePosts } from "./visible.ts";

export function lookUp(call: Call): CallResponse {
  const { query, world } = call;
  checkParameters(query, ["ids", ...postParameters], postExpansions);
  const ids = (query.get("ids") ?? "").split(",");
  if (ids.length > 100 || ids.some((id) => !/^\d{1,19}$/.test(id))) {
    throw badParameter(
      "ids",
      ids.join(),
      "The `ids` query parameter value is not a valid list of up to 100 numbers",
    );
  }
  const visibleById = new Map(visiblePosts(call).map((post) => [post.id, post]));
  const posts = ids.flatMap((id) => visibleById.get(id) ?? []);
  const errors = ids
    .filter((id) => !visibleById.has(id))
    .map((id) =>
      world.posts.some((post) => post.id === id)
        ? notAuthorized("tweet", "ids", id)
        : notFound("tweet", "ids", id),
    );
  const fields = requestedFields(call);
  const includes = showIncludes(posts, fields, world);
  return {
    body: {
      ...(posts.length === 0 ? {} : { data: posts.map((post) => showPost(post, fields)) }),
      ...(includes === undefined ? {} : { includes }),
      ...(errors.length === 0 ? {} : { errors }),
    },
    reads: {
      posts: posts.length + countObjects(includes, "posts", "tweets"),
      users: countObjects(includes, "users"),
    },
  };
}

export function timeline(
  call: Call,
  sizes: readonly [number, number],
  isIncluded: (post: EmulatedPost) => boolean,
): CallResponse {
  const { query, world, id } = call;
  checkParameters(
    query,
    [
      "max_results",
      "pagination_token",
      "start_time",
      "end_time",
      "since_id",
      "until_id",
      "exclude",
      ...postParameters,
    ],
    postExpansions,
  );
  const user = world.users.find((other) => other.id === id);
  if (user === undefined || user.isSuspended) {
    return { body: { errors: [notFound("user", "id", id)] }, reads: {} };
  }
  const excludedKinds = parameterValues(query, "exclude");
  const matchingPosts = visiblePosts(call).filter(isIncluded);
  if (matchingPosts.length === 0 && user.isProtected) {
    return { body: { errors: [notAuthorized("user", "id", id)] }, reads: {} };
  }
  const posts = matchingPosts.filter(
    (post) =>
      !(excludedKinds.has("retweets") && referencedId(post, "retweeted") !== null) &&
      !(excludedKinds.has("replies") && referencedId(post, "replied_to") !== null),
  );
  return postsPage(call, posts.slice(0, maxPosts), numberIn(query, "max_results", sizes, 10));
}

/** X shows only this many of the latest posts in a timeline. */
const maxPosts = 3_200;
const homeTimelineDays = 7;

export function home(call: Call): CallResponse {
  if (call.id !== call.userId) {
    throw badParameter(
      "id",
      call.id,
      `The \`id\` query parameter value [${call.id}] must be the same as the authenticating user [${call.userId}]`,
    );
  }
  const followedIds = new Set(
    call.world.users
      .filter(({ followers = [] }) => followers.includes(call.id))
      .map(({ id }) => id),
  );
  const earliestMs = call.nowMs - homeTimelineDays * 86_400_000;
  return timeline(
    call,
    [1, 100],
    ({ authorId, createdMs }) =>
      createdMs >= earliestMs && (followedIds.has(authorId) || authorId === call.id),
  );
}
