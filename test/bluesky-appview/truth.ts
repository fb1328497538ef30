import type { Account, Post, Repost, Society } from "./society.ts";

export type Entry = Post | Repost;

/** What everyone can see, newest first. */
export type Truth = {
  entriesOf(account: Account): readonly Entry[];
  mediaOf(account: Account): readonly Post[];
  /** Posts of the account and those it follows. */
  homeOf(account: Account): readonly Entry[];
  /** Only those reachable through visible posts. */
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
    followed(account: Account): number;
    posts(account: Account): number;
  };
};

export const isShown = (post: Post): boolean =>
  post.standing === "shown" && post.by.standing === "shown";

const isRemoved = (post: Post): boolean => post.standing === "gone" || post.by.standing === "gone";

export const isRepost = (entry: Entry): entry is Repost => "of" in entry;

export function truthOf(society: Society): Truth {
  const { reposts, likes, follows } = society;
  /** Counts include hidden records. */
  const written = society.posts.filter(({ why }) => why !== "deleted");
  const shownPosts = written.filter(isShown);
  const shownReposts = reposts.filter(({ by, of }) => by.standing === "shown" && isShown(of));
  const postsOf = Map.groupBy(shownPosts, ({ by }) => by);
  const repostsOf = Map.groupBy(shownReposts, ({ by }) => by);
  const answersTo = Map.groupBy(written, ({ parent }) => parent);

  const entriesOf = (account: Account): Entry[] => [
    ...(postsOf.get(account) ?? []),
    ...(repostsOf.get(account) ?? []),
  ];

  function repliesTo(post: Post): Post[] {
    const answers = (answersTo.get(post) ?? []).filter((answer) => !isRemoved(answer));
    return answers.flatMap((answer) => [
      ...(isShown(answer) ? [answer] : []),
      ...repliesTo(answer),
    ]);
  }

  return {
    entriesOf: (account) => newestFirst(entriesOf(account)),
    mediaOf: (account) =>
      newestFirst(postsOf.get(account) ?? []).filter(({ pictures }) => pictures.length > 0),
    homeOf: (account) => {
      const followed = follows.filter(({ by }) => by === account).map(({ to }) => to);
      return newestFirst([account, ...followed].flatMap(entriesOf));
    },
    repliesTo: (post) => (isRemoved(post) ? [] : repliesTo(post)),
    repostersOf: (post) => shown(reposts.filter(({ of }) => of === post).map(({ by }) => by)),
    followersOf: (account) => shown(follows.filter(({ to }) => to === account).map(({ by }) => by)),
    followedBy: (account) => shown(follows.filter(({ by }) => by === account).map(({ to }) => to)),
    counts: {
      likes: countBy(likes, ({ of }) => of),
      reposts: countBy(reposts, ({ of }) => of),
      replies: countBy(written, ({ parent }) => parent),
      quotes: countBy(written, ({ quoted }) => quoted),
      followers: countBy(follows, ({ to }) => to),
      followed: countBy(follows, ({ by }) => by),
      posts: countBy(written, ({ by }) => by),
    },
  };
}

const shown = (accounts: readonly Account[]): Account[] =>
  accounts.filter(({ standing }) => standing === "shown");

const newestFirst = <Item extends Entry>(entries: readonly Item[]): Item[] =>
  entries.toSorted((one, other) => other.createdMs - one.createdMs);

function countBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): (key: Key) => number {
  const groups = Map.groupBy(items, keyOf);
  return (key) => groups.get(key)?.length ?? 0;
}
