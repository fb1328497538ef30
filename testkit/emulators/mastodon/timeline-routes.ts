import { answers, ok } from "./answers.ts";
import { statusJson } from "./entities.ts";
import type { Status } from "./network.ts";
import { pageBy } from "./paging.ts";
import { type EmulatedRequest, isVisible, type Route, refusedWithout } from "./route.ts";

/** https://docs.joinmastodon.org/methods/timelines/ */
export const timelineRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v1\/timelines\/home$/, answer: home },
  { method: "GET", path: /^\/api\/v1\/timelines\/public$/, answer: publicTimeline },
  { method: "GET", path: /^\/api\/v1\/timelines\/tag\/([^/]+)$/, answer: hashtagTimeline },
];

/** Maximum number of further hashtags of each kind. */
const maxTags = 4;

function home(requested: EmulatedRequest) {
  const refused = refusedWithout(requested, { scope: "read:statuses", kind: "user" });
  if (refused !== null) return refused;
  const { network, token } = requested;
  const me = token?.accountId;
  const followed = new Set(
    network.follows.flatMap(({ followerId, followedId }) =>
      followerId === me ? [followedId] : [],
    ),
  );
  return page(requested, ({ accountId }) => accountId === me || followed.has(accountId));
}

function publicTimeline(requested: EmulatedRequest) {
  const refused = refusedWithout(requested, { scope: "read:statuses", kind: "anybody" });
  if (refused !== null) return refused;
  return page(requested, (status) => status.visibility === "public" && status.reblogOfId === null);
}

function hashtagTimeline(requested: EmulatedRequest, [tag = ""]: readonly string[]) {
  const refused = refusedWithout(requested, { scope: "read:statuses", kind: "anybody" });
  if (refused !== null) return refused;
  const { settings, token, query } = requested;
  if (settings.hashtagFeeds === "disabled") return ok([]);
  const isUser = (token?.accountId ?? null) !== null;
  if (settings.hashtagFeeds === "authenticated" && !isUser) return answers.needsUser;
  const tagsIn = (name: string) =>
    query
      .getAll(name)
      .slice(0, maxTags)
      .map((each) => each.toLowerCase());
  const any = [decodeURIComponent(tag).toLowerCase(), ...tagsIn("any[]")];
  const all = tagsIn("all[]");
  const none = tagsIn("none[]");
  return page(requested, (status) => {
    const tags = status.tags.map((each) => each.toLowerCase());
    return (
      status.visibility === "public" &&
      status.reblogOfId === null &&
      any.some((each) => tags.includes(each)) &&
      all.every((each) => tags.includes(each)) &&
      !none.some((each) => tags.includes(each))
    );
  });
}

function page(requested: EmulatedRequest, isIn: (status: Status) => boolean) {
  const all = [...requested.network.statuses.values()].filter(
    (status) => isIn(status) && isVisible(status, requested),
  );
  const { items, headers } = pageBy(all, (status) => status.id, requested, {
    defaultLimit: 20,
    maxLimit: 40,
  });
  return ok(
    items.map((status) => statusJson(status, requested)),
    headers,
  );
}
