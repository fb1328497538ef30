import type { FoundPost } from "../../testkit/archives/found-posts.ts";
import type { Life } from "./life.ts";
import type { SeenPost, Truth } from "./truth.ts";

/** One line for each difference. */
export type Differences = string[];

export function summary(differences: Differences): Differences {
  const kinds = Map.groupBy(differences, (difference) => difference.split(":")[0] ?? "");
  return [...kinds].flatMap(([kind, lines]) => [
    `${kind}: ${lines.length}`,
    ...lines.slice(0, 5).map((difference) => `  ${difference.slice(0, 500)}`),
  ]);
}

export function differences(found: readonly FoundPost[], { posts }: Truth): Differences {
  const lines: Differences = [];
  const foundByUri = new Map(found.map((post) => [post.Metadata.uri, post]));
  if (foundByUri.size < found.length)
    lines.push(`found twice: ${found.length - foundByUri.size} posts`);
  for (const post of posts.values()) {
    const stored = foundByUri.get(post.uri);
    if (stored === undefined) lines.push(`missing: ${JSON.stringify(post)}`);
    else lines.push(...postDifferences(post, stored));
  }
  for (const { Metadata } of foundByUri.values()) {
    if (!posts.has(Metadata.uri)) lines.push(`unexpected: ${JSON.stringify(Metadata)}`);
  }
  return lines;
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
    .map((name) => ({
      name,
      actualText: JSON.stringify(actual[name]),
      expectedText: JSON.stringify(post[name]),
    }))
    .filter(({ actualText, expectedText }) => actualText !== expectedText)
    .map(
      ({ name, actualText, expectedText }) =>
        `${name}: ${actualText}, expected ${expectedText}, of ${post.uri}`,
    );
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
  const counts = [...listCounts(found, truth, life)];
  const exactCount = counts.filter(({ shown, actual }) => shown === actual).length;
  const aboveCount = counts.filter(({ shown, actual }) => shown > actual).length;
  const impossibleCount = counts.filter(({ shown, created }) => shown > created).length;
  return `${counts.length} counts, ${exactCount} exact, ${aboveCount} above, of which ${impossibleCount} above the number ever created`;
}
