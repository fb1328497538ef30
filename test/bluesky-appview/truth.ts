import type { Account, NetworkContent, Post, Repost } from "./network-content.ts";

export type Entry = Post | Repost;

/** What signed-out viewers can see, newest first. */
export type Truth = {
  entriesOf(account: Account): readonly Entry[];
  mediaOf(account: Account): readonly Post[];
  /** Posts of the account and of those it follows. */
  homeOf(account: Account): readonly Entry[];
  /** Only replies that can be reached through visible posts. */
  repliesTo(post: Post): readonly Post[];
  repostersOf(post: Post): readonly Account[];
  followersOf(account: Account): readonly Account[];
  followedBy(account: Account): readonly Account[];
  counts: {
    likes(post: Post): number;
    reposts(post: Post): number;
    replies(post: Post): number;
    quotes(post: Post): number;
    followers(account: Account): number;
    follows(account: Account): number;
    posts(account: Account): number;
  };
};

export const isVisible = (post: Post): boolean =>
  post.state === "visible" && post.author.state === "visible";

const isRemoved = (post: Post): boolean =>
  post.state === "removed" || post.author.state === "removed";

export const isRepost = (entry: Entry): entry is Repost => "subject" in entry;

export function expectedTruth(content: NetworkContent): Truth {
  const { reposts, likes, follows } = content;
  /** Counts include hidden records. */
  const existingPosts = content.posts.filter(({ reason }) => reason !== "deleted");
  const shownPosts = existingPosts.filter(isVisible);
  const shownReposts = reposts.filter(
    ({ author, subject }) => author.state === "visible" && isVisible(subject),
  );
  const postsOf = Map.groupBy(shownPosts, ({ author }) => author);
  const repostsOf = Map.groupBy(shownReposts, ({ author }) => author);
  const repliesByParent = Map.groupBy(existingPosts, ({ parent }) => parent);

  const findEntries = (account: Account): Entry[] => [
    ...(postsOf.get(account) ?? []),
    ...(repostsOf.get(account) ?? []),
  ];

  function repliesTo(post: Post): Post[] {
    const directReplies = (repliesByParent.get(post) ?? []).filter((answer) => !isRemoved(answer));
    return directReplies.flatMap((answer) => [
      ...(isVisible(answer) ? [answer] : []),
      ...repliesTo(answer),
    ]);
  }

  return {
    entriesOf: (account) => newestFirst(findEntries(account)),
    mediaOf: (account) =>
      newestFirst(postsOf.get(account) ?? []).filter(({ pictures }) => pictures.length > 0),
    homeOf: (account) => {
      const followed = follows
        .filter(({ author }) => author === account)
        .map(({ subject }) => subject);
      return newestFirst([account, ...followed].flatMap(findEntries));
    },
    repliesTo: (post) => (isRemoved(post) ? [] : repliesTo(post)),
    repostersOf: (post) =>
      visibleAccounts(
        reposts.filter(({ subject }) => subject === post).map(({ author }) => author),
      ),
    followersOf: (account) =>
      visibleAccounts(
        follows.filter(({ subject }) => subject === account).map(({ author }) => author),
      ),
    followedBy: (account) =>
      visibleAccounts(
        follows.filter(({ author }) => author === account).map(({ subject }) => subject),
      ),
    counts: {
      likes: countBy(likes, ({ subject }) => subject),
      reposts: countBy(reposts, ({ subject }) => subject),
      replies: countBy(existingPosts, ({ parent }) => parent),
      quotes: countBy(existingPosts, ({ quoted }) => quoted),
      followers: countBy(follows, ({ subject }) => subject),
      follows: countBy(follows, ({ author }) => author),
      posts: countBy(existingPosts, ({ author }) => author),
    },
  };
}

const visibleAccounts = (accounts: readonly Account[]): Account[] =>
  accounts.filter(({ state }) => state === "visible");

const newestFirst = <Item extends Entry>(entries: readonly Item[]): Item[] =>
  entries.toSorted((a, b) => b.createdMs - a.createdMs);

function countBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): (key: Key) => number {
  const groups = Map.groupBy(items, keyOf);
  return (key) => groups.get(key)?.length ?? 0;
}
