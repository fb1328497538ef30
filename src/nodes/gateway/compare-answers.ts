import { createHash } from "node:crypto";
import {
  type AnswerItem,
  type Coverage,
  isFetched,
  type SourceAnswer,
} from "../../platforms/source.ts";
import { idTimeMs, tellsTime } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { SpotOutcome } from "./spot-outcome.ts";

/** What one of two answers alone gave: the names of posts, at most `mostNamed` of each, and of how many there are how many. */
export type Differences = {
  only_first: readonly string[];
  only_second: readonly string[];
  different: number;
  explained: number;
};

/** What is kept of an answer until it is compared: no record of it. */
export type Outline = Pick<SourceAnswer, "next" | "nextPlace" | "complete" | "coverage"> & {
  items: readonly OutlinedItem[];
};

type OutlinedItem = { platform: Platform; id: bigint | null; name: string };

const mostNamed = 20;

export function outlineOf({ items, next, nextPlace, complete, coverage }: SourceAnswer): Outline {
  const outlined = items.map((item) => ({
    platform: item.platform,
    id: item.id,
    name: nameOf(item),
  }));
  return { items: outlined, next, nextPlace: nextPlace ?? null, complete, coverage };
}

/**
 * How two answers to the same request differ. A post that one of them alone gave is explained where not both hold its platform
 * completely at its time; where an answer was cut at its largest number of posts, only what comes before is compared.
 */
export function compareAnswers(
  first: Outline,
  second: Outline,
): { outcome: SpotOutcome; differences: Differences } {
  const onlyFirst = lacking(first, second);
  const onlySecond = lacking(second, first);
  const all = [...onlyFirst, ...onlySecond];
  const explained = all.filter((item) => isExplained(item, first, second)).length;
  const outcome = all.length === 0 ? "same" : explained === all.length ? "explained" : "different";
  return {
    outcome,
    differences: {
      only_first: onlyFirst.slice(0, mostNamed).map(({ name }) => name),
      only_second: onlySecond.slice(0, mostNamed).map(({ name }) => name),
      different: all.length - explained,
      explained,
    },
  };
}

/** What the one gave and the other did not, as far as both answers reach. */
function lacking(one: Outline, other: Outline): readonly OutlinedItem[] {
  const names = new Set(other.items.map(({ name }) => name));
  const reached = other.next?.id ?? 0n;
  return one.items.filter(({ id, name }) => !names.has(name) && (id === null || id >= reached));
}

const longestName = 200;

/** What tells an item from others: the ID of a post, else its uri, its user, or a hash of its record. */
function nameOf(item: AnswerItem): string {
  const own = isFetched(item)
    ? (item.id ?? item.uri ?? item.userId ?? digestOf(item.record))
    : item.id;
  return `${item.platform} ${own}`.slice(0, longestName);
}

const digestOf = (record: string): string =>
  createHash("sha256").update(record).digest("base64url");

function isExplained({ platform, id }: OutlinedItem, first: Outline, second: Outline): boolean {
  const answers = [first, second];
  if (id !== null && tellsTime(id)) {
    const timeMs = idTimeMs(id);
    return answers.some(({ coverage }) => !isHeld(coverage, platform, timeMs));
  }
  return answers.some(({ complete, nextPlace = null }) => !complete || nextPlace !== null);
}

/** Whether everything is held of a platform at a time, and of what else the search depends on. */
function isHeld(coverage: Coverage, platform: Platform, timeMs: number): boolean {
  const collections = (coverage.platforms ?? []).filter((one) => one.platform === platform);
  const posts = collections.find(({ collection }) => collection === "posts");
  if (posts === undefined) return coverage.complete;
  const isWithin = posts.held.some(
    ({ fromMs, toMs }) => (fromMs === null || fromMs <= timeMs) && timeMs < toMs,
  );
  return (
    (posts.complete || isWithin) &&
    collections.every(({ collection, complete }) => collection === "posts" || complete)
  );
}
