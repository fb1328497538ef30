import { postTimeMs } from "../posts/ids.ts";
import type { Platform, Post } from "../posts/post.ts";
import { encodeRecord, renderRecord } from "../posts/record.ts";
import {
  idOnlyPostRecord,
  idOnlyProfileRecord,
  idOnlySpaceRecord,
  profileRecord,
  type RenderedProfile,
  rankOnlyTrendRecord,
  spaceRecord,
  trendRecord,
} from "./render-profile.ts";
import type { FetchedItem } from "./source.ts";
import type { UpstreamItem } from "./upstream.ts";

export type RenderOptions = {
  /** `ids`: only IDs and values derived from them. */
  displayScope: "everything" | "ids";
  recordId: (post: Post) => bigint;
  nowMs: number;
};

/** Fetched posts get the form of archived records. */
export function toFetchedItem(item: UpstreamItem, options: RenderOptions): FetchedItem {
  if (item.kind === "post") return postItem(item.post, options);
  const { record, platform, userId } = renderItem(item, options.displayScope);
  return { platform, id: null, uri: null, userId, record: JSON.stringify(record) };
}

type RenderedItem = { record: RenderedProfile; platform: Platform; userId: string | null };

function renderItem(
  item: Exclude<UpstreamItem, { kind: "post" }>,
  displayScope: RenderOptions["displayScope"],
): RenderedItem {
  const isComplete = displayScope === "everything";
  switch (item.kind) {
    case "profile": {
      const { profile } = item;
      const record = isComplete ? profileRecord(profile) : idOnlyProfileRecord(profile);
      return { record, platform: profile.platform, userId: profile.userId };
    }
    case "trend": {
      const { trend } = item;
      const record = isComplete ? trendRecord(trend) : rankOnlyTrendRecord(trend);
      return { record, platform: trend.platform, userId: null };
    }
    case "space": {
      const { space } = item;
      const record = isComplete ? spaceRecord(space) : idOnlySpaceRecord(space);
      return { record, platform: space.platform, userId: null };
    }
  }
}

function postItem(post: Post, { displayScope, recordId, nowMs }: RenderOptions): FetchedItem {
  const { platform, uri, userId, counts } = post;
  const id = post.nativeId ?? recordId(post);
  if (displayScope === "ids") {
    return { platform, id, uri, userId, record: JSON.stringify(idOnlyPostRecord(post, id)) };
  }
  const timeMs = postTimeMs(post, nowMs);
  const row = { id, platform, timeMs, counts, record: encodeRecord(post, timeMs) };
  return { platform, id, uri, userId, record: renderRecord(row, unknownAuthor) };
}

const unknownAuthor = () => ({ handle: null, name: null });
