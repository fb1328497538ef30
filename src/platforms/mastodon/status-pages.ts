import type { Post } from "../../posts/post.ts";
import { asFields, requireList } from "../fields.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { absentPage, itemsPage, type PageItem } from "../upstream-page.ts";
import { maxAccounts } from "./account-pages.ts";
import { writeCursor } from "./cursor.ts";
import { findStatus } from "./find-status.ts";
import { linkWarnings, nextPaging } from "./link-paging.ts";
import {
  boundedLimit,
  bucket,
  type PageRequest,
  pagingBucket,
  resumeOrFind,
} from "./page-request.ts";
import { type InstanceResponse, type ServerAccess, sendToServer } from "./server-access.ts";
import { statusIdentity } from "./status-references.ts";
import {
  accountsPage,
  isVisibleToAll,
  requireReadable,
  serverName,
  statusesPage,
  statusPageItem,
} from "./view-page.ts";

export async function statusPage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const status = await findStatus(call.target, session);
  if (status === null) return absentPage;
  const { access, id } = status;
  const response =
    status.json === null
      ? await sendToServer(access, { path: `/api/v1/statuses/${id}`, bucket }, "read:statuses")
      : status;
  if (response === null) return absentPage;
  const { json } = response;
  const origin = { instance: access.instance, nowMs: session.nowMs };
  return requireReadable(
    statusesPage([json], origin, isVisibleToAll, { next: null }),
    access.instance,
  );
}

export async function repliesPage({ call, session }: PageRequest): Promise<UpstreamPage> {
  const status = await findStatus(call.target, session);
  if (status === null) return absentPage;
  const { access, id, json } = status;
  const path = `/api/v1/statuses/${id}/context`;
  const response = await sendToServer(access, { path, bucket }, "read:statuses");
  if (response === null) return absentPage;
  const requestedUri = call.target?.kind === "post" ? call.target.uri : null;
  const uri = json === null ? requestedUri : statusIdentity(asFields(json));
  return mastodonReplyPage(response, { access, root: { id, uri }, nowMs: session.nowMs });
}

export async function rebloggersPage(pageRequest: PageRequest): Promise<UpstreamPage> {
  const { call, session } = pageRequest;
  const status = await resumeOrFind(pageRequest, () => findStatus(call.target, session));
  if (status === null) return absentPage;
  const { access, id, paging } = status;
  const path = `/api/v1/statuses/${id}/reblogged_by`;
  const query = { ...paging, limit: boundedLimit(maxAccounts, call) };
  const request = { path, query, bucket: pagingBucket(paging) };
  const response = await sendToServer(access, request, "read:statuses");
  if (response === null) return absentPage;
  const next = writeCursor(access, id, nextPaging(response.headers, path));
  const origin = { instance: access.instance, nowMs: session.nowMs };
  const warnings = linkWarnings(response.headers, path);
  return accountsPage(response.json, origin, { next, warnings });
}

/** Mastodon's limits for a thread, for users and for unauthenticated clients. */
const maxReplies = 4_096;
const maxAnonymousReplies = 60;

type Root = { id: string; uri: string | null };

function mastodonReplyPage(
  { json, headers }: InstanceResponse,
  { access, root, nowMs }: { access: ServerAccess; root: Root; nowMs: number },
): UpstreamPage {
  const { descendants: listed } = asFields(json);
  const descendants = requireList(listed, maxReplies, access.instance);
  const uris = new Map<string, string>(root.uri === null ? [] : [[root.id, root.uri]]);
  const origin = { instance: access.instance, nowMs };
  const items = descendants.map((status): PageItem => {
    const item = statusPageItem(status, origin, isVisibleToAll);
    if (item.kind === "post") uris.set(String(asFields(status).id), item.post.uri);
    return item;
  });
  const itemsWithParents = items.map((item) =>
    item.kind === "post" ? { ...item, post: withParentUri(item.post, uris) } : item,
  );
  return itemsPage(itemsWithParents, {
    name: serverName,
    next: null,
    nowMs,
    warnings: threadWarnings(access, descendants.length, headers.has("mastodon-async-refresh")),
  });
}

/** A status contains only its parent's id. */
function withParentUri(post: Post, uris: ReadonlyMap<string, string>): Post {
  const uri = uris.get(post.inReplyTo?.id ?? "");
  if (post.inReplyTo === null || uri === undefined) return post;
  return { ...post, inReplyTo: { ...post.inReplyTo, uri } };
}

function threadWarnings(
  access: ServerAccess,
  count: number,
  isFetching: boolean,
): UpstreamWarning[] {
  const warnings: UpstreamWarning[] = [];
  if (access.isAnonymous && count >= maxAnonymousReplies) {
    warnings.push({
      code: "partial_thread",
      message: `${access.instance} shows only ${maxAnonymousReplies} replies without a user token`,
      hint: `add a user token for ${access.instance}`,
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
