import { isDeepStrictEqual } from "node:util";
import type { Post } from "../../src/posts/post.ts";
import type { DrawnQuery } from "./generated-queries.ts";
import { makePost } from "./make-post.ts";

export type Case = { query: DrawnQuery; posts: readonly Post[] };

const maxTries = 1_000;

export function shrink(start: Case, stillDiffers: (smaller: Case) => boolean): Case {
  let best = start;
  let tries = 0;
  const reductions = [fewerPosts, smallerQueries, plainerPosts];
  for (let step = 0; step < reductions.length; ) {
    const smaller = reductions[step]?.(best).find(
      (candidate) => tries++ < maxTries && stillDiffers(candidate),
    );
    if (smaller === undefined) {
      step += 1;
    } else {
      best = smaller;
      step = 0;
    }
  }
  return best;
}

export function nonDefaultFields(post: Post): Partial<Post> {
  const defaults = Object.entries(makePost());
  return Object.fromEntries(
    Object.entries(post).filter(([field, value]) => {
      const [, other] = defaults.find(([name]) => name === field) ?? [];
      return !isDeepStrictEqual(value, other);
    }),
  );
}

function fewerPosts({ query, posts }: Case): Case[] {
  const sizes = [2, 4, 8, 16].map((parts) => Math.ceil(posts.length / parts));
  return [...new Set([...sizes, 1])]
    .filter((size) => size < posts.length)
    .flatMap((size) => {
      const starts = Array.from({ length: Math.ceil(posts.length / size) }, (_, n) => n * size);
      return starts.map((start) => ({ query, posts: posts.toSpliced(start, size) }));
    });
}

function smallerQueries({ query, posts }: Case): Case[] {
  return smallerVariants(query).map((less) => ({ query: less, posts }));
}

function smallerVariants(query: DrawnQuery): DrawnQuery[] {
  if (query.kind === "leaf") return [];
  if (query.kind === "not") {
    return [query.child, ...smallerVariants(query.child).map((child) => ({ ...query, child }))];
  }
  const { parts } = query;
  const withoutPart =
    parts.length > 2
      ? parts.map((_, index) => ({ ...query, parts: parts.toSpliced(index, 1) }))
      : [];
  const withSmallerPart = parts.flatMap((part, index) =>
    smallerVariants(part).map((less) => ({ ...query, parts: parts.with(index, less) })),
  );
  return [...parts, ...withoutPart, ...withSmallerPart];
}

function plainerPosts({ query, posts }: Case): Case[] {
  return posts.flatMap((post, index) =>
    plainerVariants(post).map((less) => ({ query, posts: posts.with(index, less) })),
  );
}

function plainerVariants(post: Post): Post[] {
  const defaults = makePost();
  const fields = Object.keys(nonDefaultFields(post)).filter((field) => !identityFields.has(field));
  const withDefault = fields.map((field) => ({ ...post, [field]: defaults[field as keyof Post] }));
  const characters = Array.from(post.text);
  const sizes = [16, 4, 1].filter((size) => size < characters.length);
  const shorter = sizes.flatMap((size) =>
    characters
      .keys()
      .filter((at) => at % size === 0)
      .map((at) => ({ ...post, text: characters.toSpliced(at, size).join("") }))
      .toArray(),
  );
  return [...withDefault, ...shorter].filter((less) => !isDeepStrictEqual(less, post));
}

const identityFields = new Set(["platform", "uri", "nativeId", "createdMs", "createdAt", "seenMs"]);
