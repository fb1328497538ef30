import type { Post } from "../../posts/post.ts";
import { asFields, requiredList } from "../fields.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { itemsPage, type PageItem } from "../upstream-page.ts";
import type { ServerAccess, ServerAnswer } from "./server-access.ts";
import { isVisibleToAll, serverName, statusPageItem } from "./view-page.ts";

/** Mastodon's thread limits, for users and unauthenticated clients. */
const maxReplies = 4_096;
const maxAnonymousReplies = 60;

type Root = { id: string; uri: string | null };

export function mastodonReplyPage(
  { json, headers }: ServerAnswer,
  { access, root, nowMs }: { access: ServerAccess; root: Root; nowMs: number },
): UpstreamPage {
  const { descendants: listed } = asFields(json);
  const descendants = requiredList(listed, maxReplies, access.instance);
  const uris = new Map<string, string>(root.uri === null ? [] : [[root.id, root.uri]]);
  const origin = { instance: access.instance, nowMs };
  const items = descendants.map((status): PageItem => {
    const item = statusPageItem(status, origin, isVisibleToAll);
    if (item.kind === "post") uris.set(String(asFields(status).id), item.post.uri);
    return item;
  });
  const withParents = items.map((item) =>
    item.kind === "post" ? { ...item, post: withParentUri(item.post, uris) } : item,
  );
  return itemsPage(withParents, {
    name: serverName,
    next: null,
    nowMs,
    warnings: warningsOn(access, descendants.length, headers.has("mastodon-async-refresh")),
  });
}

/** Statuses omit the parent's URI. */
function withParentUri(post: Post, uris: ReadonlyMap<string, string>): Post {
  const uri = uris.get(post.inReplyTo?.id ?? "");
  if (post.inReplyTo === null || uri === undefined) return post;
  return { ...post, inReplyTo: { ...post.inReplyTo, uri } };
}

function warningsOn(access: ServerAccess, count: number, isFetching: boolean): UpstreamWarning[] {
  const warnings: UpstreamWarning[] = [];
  if (access.isAnonymous && count >= maxAnonymousReplies) {
    warnings.push({
      code: "partial_thread",
      message: `${access.instance} shows only ${maxAnonymousReplies} replies without a user token`,
      hint: `add a user token of ${access.instance}`,
      isPartial: true,
    });
  }
  if (isFetching) {
    warnings.push({
      code: "replies_pending",
      message: `${access.instance} is fetching more replies from other servers`,
      hint: "retry in a minute",
      isPartial: true,
    });
  }
  return warnings;
}
