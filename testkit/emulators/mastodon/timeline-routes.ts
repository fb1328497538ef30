import { statusJson } from "./entities.ts";
import type { Status } from "./network.ts";
import { pageBy } from "./paging.ts";
import { ok, responses } from "./responses.ts";
import { authorizationError, type EmulatedRequest, isVisible, type Route } from "./route.ts";

/** https://docs.joinmastodon.org/methods/timelines/ */
export const timelineRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v1\/timelines\/home$/, respond: home },
  { method: "GET", path: /^\/api\/v1\/timelines\/public$/, respond: publicTimeline },
  { method: "GET", path: /^\/api\/v1\/timelines\/tag\/([^/]+)$/, respond: hashtagTimeline },
];

/** Maximum number of additional hashtags per kind. */
const maxTags = 4;

function home(request: EmulatedRequest) {
  const error = authorizationError(request, { scope: "read:statuses", kind: "user" });
  if (error !== null) return error;
  const { network, token } = request;
  const viewerId = token?.accountId;
  const followedIds = new Set(
    network.follows.flatMap(({ followerId, followedId }) =>
      followerId === viewerId ? [followedId] : [],
    ),
  );
  return page(request, ({ accountId }) => accountId === viewerId || followedIds.has(accountId));
}

function publicTimeline(request: EmulatedRequest) {
  const error = authorizationError(request, { scope: "read:statuses", kind: "any" });
  if (error !== null) return error;
  return page(request, (status) => status.visibility === "public" && status.reblogOfId === null);
}

function hashtagTimeline(request: EmulatedRequest, [tag = ""]: readonly string[]) {
  const error = authorizationError(request, { scope: "read:statuses", kind: "any" });
  if (error !== null) return error;
  const { settings, token, query } = request;
  if (settings.hashtagFeeds === "disabled") return ok([]);
  const isUser = (token?.accountId ?? null) !== null;
  if (settings.hashtagFeeds === "authenticated" && !isUser) return responses.userRequired;
  const tagsIn = (name: string) =>
    query
      .getAll(name)
      .slice(0, maxTags)
      .map((text) => text.toLowerCase());
  const anyTags = [decodeURIComponent(tag).toLowerCase(), ...tagsIn("any[]")];
  const allTags = tagsIn("all[]");
  const excludedTags = tagsIn("none[]");
  return page(request, (status) => {
    const tags = status.tags.map((other) => other.toLowerCase());
    return (
      status.visibility === "public" &&
      status.reblogOfId === null &&
      anyTags.some((text) => tags.includes(text)) &&
      allTags.every((text) => tags.includes(text)) &&
      !excludedTags.some((text) => tags.includes(text))
    );
  });
}

function page(request: EmulatedRequest, isIncluded: (status: Status) => boolean) {
  const statuses = [...request.network.statuses.values()].filter(
    (status) => isIncluded(status) && isVisible(status, request),
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
