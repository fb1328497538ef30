import type { Platform } from "../../posts/post.ts";
import type { Trend } from "../../posts/profile.ts";
import type { ArchivedPost } from "./archived-posts.ts";

type Counted = { name: string; url: string | null; posts: number; authors: Set<string> };

export function trendsOf(
  platform: Platform,
  posts: readonly ArchivedPost[],
  max: number,
): readonly Trend[] {
  const byTag = new Map<string, Counted>();

  function count(key: string, name: string, url: string | null, author: string): void {
    const one = byTag.get(key) ?? { name, url, posts: 0, authors: new Set() };
    one.posts += 1;
    one.authors.add(author);
    byTag.set(key, one);
  }

  for (const { userId, username, hashtags, urls } of posts) {
    const author = userId ?? username;
    const tags = new Map(hashtags.map((tag) => [tag.toLowerCase(), tag]));
    for (const [folded, tag] of tags) count(`#${folded}`, `#${tag}`, null, author);
    for (const url of new Set(urls)) if (isWebAddress(url)) count(url, url, url, author);
  }
  return [...byTag.values()]
    .sort((a, b) => b.authors.size - a.authors.size || b.posts - a.posts || order(a, b))
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

const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);

const order = (a: Counted, b: Counted): number => (a.name < b.name ? -1 : 1);
