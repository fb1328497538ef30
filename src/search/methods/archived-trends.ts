import type { Platform } from "../../posts/post.ts";
import type { Trend } from "../../posts/profile.ts";
import type { ArchivedPost } from "./archived-posts.ts";

type TagCount = { name: string; url: string | null; posts: number; authors: Set<string> };

export function countTrends(
  platform: Platform,
  posts: readonly ArchivedPost[],
  max: number,
): readonly Trend[] {
  const countsByTag = new Map<string, TagCount>();

  function count(key: string, name: string, url: string | null, author: string): void {
    const tagCount = countsByTag.get(key) ?? { name, url, posts: 0, authors: new Set() };
    tagCount.posts += 1;
    tagCount.authors.add(author);
    countsByTag.set(key, tagCount);
  }

  for (const { userId, username, hashtags, urls } of posts) {
    const author = userId ?? username;
    const tags = new Map(hashtags.map((tag) => [tag.toLowerCase(), tag]));
    for (const [folded, tag] of tags) count(`#${folded}`, `#${tag}`, null, author);
    for (const url of new Set(urls)) if (isWebUrl(url)) count(url, url, url, author);
  }
  return [...countsByTag.values()]
    .sort((a, b) => b.authors.size - a.authors.size || b.posts - a.posts || compareNames(a, b))
    .slice(0, max)
    .map(({ name, url, posts: number }, index) => ({
      platform,
      rank: index + 1,
      name,
      url,
      posts: number,
      category: url === null ? "hashtag" : "link",
      startedAt: null,
    }));
}

const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url);

const compareNames = (a: TagCount, b: TagCount): number => (a.name < b.name ? -1 : 1);
