import type { Archive } from "../../archive/archive.ts";
import { toFetchedItem } from "../../platforms/render-record.ts";
import type { Session } from "../../platforms/session.ts";
import type { FetchedItem } from "../../platforms/source.ts";
import type { Upstream, UpstreamItem } from "../../platforms/upstream.ts";
import { postTimeMs } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";

export async function toFetchedItems(
  archive: Pick<Archive, "identify">,
  items: readonly UpstreamItem[],
  { upstream, session }: { upstream: Upstream; session: Session },
): Promise<FetchedItem[]> {
  const { nowMs } = session;
  const posts = items.flatMap((item) => (item.kind === "post" ? [item.post] : []));
  const ids = await archiveIds(archive, posts, nowMs);
  const displayScope = upstream.displayScope(session.owner);
  return items.map((item) =>
    toFetchedItem(item, { displayScope, nowMs, recordId: (post) => ids.get(post.uri) ?? 0n }),
  );
}

export async function archiveIds(
  archive: Pick<Archive, "identify">,
  posts: readonly Post[],
  nowMs: number,
): Promise<ReadonlyMap<string, bigint>> {
  const candidates = posts.map((post) => ({
    platform: post.platform,
    uri: post.uri,
    timeMs: postTimeMs(post, nowMs),
  }));
  const identifiedPosts = await archive.identify(candidates);
  return new Map(candidates.map(({ uri }, index) => [uri, identifiedPosts[index]?.id ?? 0n]));
}
