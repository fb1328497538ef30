import type { FoundPost } from "../../testkit/archives/found-posts.ts";
import type { Life } from "./life.ts";
import type { SeenPost, Truth } from "./truth.ts";

/** One line for each difference. */
export type Differences = string[];

export function summary(differences: Differences): Differences {
  const kinds = Map.groupBy(differences, (difference) => difference.split(":")[0] ?? "");
  return [...kinds].flatMap(([kind, all]) => [
    `${kind}: ${all.length}`,
    ...all.slice(0, 5).map((difference) => `  ${difference.slice(0, 500)}`),
  ]);
}

export function differences(found: readonly FoundPost[], { posts }: Truth): Differences {
  const reported: Differences = [];
  const foundByUri = new Map(found.map((post) => [post.Metadata.uri, post]));
  if (foundByUri.size < found.length)
    reported.push(`found twice: ${found.length - foundByUri.size} posts`);
  for (const post of posts.values()) {
    const stored = foundByUri.get(post.uri);
    if (stored === undefined) reported.push(`missing: ${JSON.stringify(post)}`);
    else reported.push(...postDifferences(post, stored));
  }
  for (const { Metadata } of foundByUri.values()) {
    if (!posts.has(Metadata.uri)) reported.push(`unexpected: ${JSON.stringify(Metadata)}`);
  }
  return reported;
}

function postDifferences(post: SeenPost, { Content, Metadata }: FoundPost): Differences {
  const actual: SeenPost = {
    uri: Metadata.uri,
    text: Content,
    createdMs: Date.parse(Metadata.created_at),
    userId: Metadata.user_id,
    username: Metadata.username,
    author: Metadata.author,
    langs: Metadata.langs,
    inReplyTo: Metadata.in_reply_to?.uri ?? null,
    quoted: Metadata.quoted?.uri ?? null,
    labels: Metadata.labels.toSorted(),
  };
  const names = Object.keys(post) as (keyof SeenPost)[];
  return names
    .map((name) => ({ name, is: JSON.stringify(actual[name]), due: JSON.stringify(post[name]) }))
    .filter(({ is, due }) => is !== due)
    .map(({ name, is, due }) => `${name}: ${is}, expected ${due}, of ${post.uri}`);
}

const countNames = {
  likes: "like_count",
  reposts: "retweet_count",
  replies: "reply_count",
  quotes: "quote_count",
} as const;

/** Each count with the network's current value and the number ever created. */
function* listCounts(found: readonly FoundPost[], { counts }: Truth, { created }: Life) {
  for (const { Metadata } of found) {
    for (const name of Object.keys(countNames) as (keyof typeof countNames)[]) {
      const { uri, public_metrics } = Metadata;
      yield {
        uri,
        name,
        shown: public_metrics[countNames[name]] ?? 0,
        actual: counts[name].get(uri) ?? 0,
        created: created[name].get(uri) ?? 0,
      };
    }
  }
}

/** A post that reuses the key of a deleted post counts from 0. */
export function countsBelow(found: readonly FoundPost[], truth: Truth, life: Life): Differences {
  return [...listCounts(found, truth, life)]
    .filter(({ uri, shown, actual }) => shown < actual && !life.recreated.has(uri))
    .map(
      ({ uri, name, shown, actual }) => `${name}: ${shown}, expected at least ${actual}, of ${uri}`,
    );
}

export function reportCounts(found: readonly FoundPost[], truth: Truth, life: Life): string {
  const all = [...listCounts(found, truth, life)];
  const exact = all.filter(({ shown, actual }) => shown === actual).length;
  const above = all.filter(({ shown, actual }) => shown > actual).length;
  const twice = all.filter(({ shown, created }) => shown > created).length;
  return `${all.length} counts, ${exact} exact, ${above} above, of which ${twice} above all that was ever made`;
}
