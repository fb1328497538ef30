import { comparePositions } from "../../archive/search.ts";
import { isSearch } from "../../platforms/methods.ts";
import type { AnswerRequest, FetchedItem } from "../../platforms/source.ts";
import { firstTimeMs, idTimeMs, tellsTime } from "../../posts/ids.ts";
import { answerRefused } from "./faults.ts";
import type { Knowledge } from "./knowledge-text.ts";
import type { ReadRecord } from "./read-record.ts";

/** An item and what its record says. */
export type CheckedItem = { item: FetchedItem; record: ReadRecord };

/** By how much the time of an id may lie beside the post's own: X tells times in whole seconds. */
const skewMs = 1_000;

/**
 * Whether an answer can be one to its request: of the platform that was asked, each post once, and of a search, newest first
 * and within the window. Whether it is true no gateway can tell. Errors: `answer_refused` with `too_many_items`,
 * `other_platform`, `repeated_item`, `not_a_post`, `out_of_order`, `before_its_page` or `outside_window`.
 */
export function checkItems(request: AnswerRequest, items: readonly CheckedItem[]): void {
  if (items.length > request.maxResults) {
    throw answerRefused("too_many_items", `more than ${request.maxResults} items were given`);
  }
  const isOther = ({ item }: CheckedItem) => !isAsked(request, item.platform);
  if (items.some(isOther)) {
    throw answerRefused("other_platform", "an item is of a platform that was not asked");
  }
  const places = items.map(
    ({ item, record }) => `${item.platform} ${item.id === null} ${record.id}`,
  );
  if (new Set(places).size < places.length) {
    throw answerRefused("repeated_item", "an item is in the answer twice");
  }
  if (isSearch(request.method)) checkSearch(request, items);
}

function checkSearch(request: AnswerRequest, items: readonly CheckedItem[]): void {
  let before = request.after;
  for (const { item, record } of items) {
    if (item.id === null) {
      throw answerRefused("not_a_post", "a search was answered with what is no post");
    }
    const place = { platform: item.platform, id: item.id };
    if (before !== null && comparePositions(before, place) >= 0) {
      const code = before === request.after ? "before_its_page" : "out_of_order";
      throw answerRefused(code, "the items of a search are not in their order, newest first");
    }
    if (isOutside(request, item.id, record)) {
      throw answerRefused("outside_window", "a post is outside the window that was asked for");
    }
    before = place;
  }
}

/** Whether neither the id nor the record of a post puts it into the window. */
function isOutside(request: AnswerRequest, id: bigint, { createdMs }: ReadRecord): boolean {
  const earliestMs = (request.fromMs ?? Number.NEGATIVE_INFINITY) - skewMs;
  const isWithin = (ms: number) => ms >= earliestMs && ms < request.toMs + skewMs;
  if (createdMs !== null && isWithin(createdMs)) return false;
  return !(tellsTime(id) ? isWithin(idTimeMs(id)) : earliestMs < firstTimeMs);
}

const isAsked = ({ platform }: AnswerRequest, one: string): boolean =>
  platform === "social" || platform === one;

/**
 * Whether what is told of an answer can be told of one to its request. Errors: `answer_refused` with `next_misplaced`,
 * `place_misplaced`, `coverage_of_other_platform`, `coverage_malformed`, `coverage_contradictory`, `coverage_outside_window` or
 * `source_misplaced`.
 */
export function checkKnowledge(
  request: AnswerRequest,
  items: readonly CheckedItem[],
  { next, nextPlace = null, complete, coverage, sources }: Knowledge,
): void {
  const last = items.at(-1)?.item;
  const lastPlace = last?.id == null ? null : { platform: last.platform, id: last.id };
  for (const place of [request.after, lastPlace]) {
    if (next !== null && place !== null && comparePositions(next, place) < 0) {
      throw answerRefused("next_misplaced", "the answer goes on before its own end");
    }
  }
  const isPlaced = nextPlace === null || nextPlace.platform === request.platform;
  if (!isPlaced || (nextPlace !== null && isSearch(request.method))) {
    throw answerRefused("place_misplaced", "the answer goes on at a platform that was not asked");
  }
  if (sources.some(({ platform }) => !isAsked(request, platform))) {
    throw answerRefused("source_misplaced", "a part of the answer is of a platform not asked");
  }
  checkCoverage(request, coverage);
  if (complete && !coverage.complete) {
    throw answerRefused("coverage_contradictory", "a complete answer has gaps in its coverage");
  }
}

type Coverage = Knowledge["coverage"];
type Span = Coverage["gaps"][number];

function checkCoverage(request: AnswerRequest, coverage: Coverage): void {
  const platforms = coverage.platforms ?? [];
  const each = platforms.map(({ platform, collection }) => `${platform} ${collection}`);
  const all = [coverage, ...platforms];
  const lists = all.flatMap((known) => [known.gaps, "held" in known ? known.held : []]);
  if (new Set(each).size < each.length || !lists.every(isInOrder)) {
    throw answerRefused("coverage_malformed", "the coverage names spans that are none");
  }
  if (platforms.some(({ platform }) => !isAsked(request, platform))) {
    throw answerRefused("coverage_of_other_platform", "the coverage is of a platform not asked");
  }
  if (all.some((known) => known.complete !== (known.gaps.length === 0))) {
    throw answerRefused(
      "coverage_contradictory",
      "the coverage is complete and has gaps, or neither",
    );
  }
  const posts = platforms.filter(({ collection }) => collection === "posts");
  const told = [coverage, ...posts.flatMap(({ held, gaps }) => [...held, ...gaps])];
  if (!told.every((span) => isWithin(span, coverage)) || !isWithinAsked(request, coverage)) {
    throw answerRefused("coverage_outside_window", "the coverage is of more than was asked for");
  }
}

/** Spans one after another, each with a beginning before its end. */
function isInOrder(spans: readonly Span[]): boolean {
  return spans.every(({ fromMs, toMs }, index) => {
    const previous = spans[index - 1];
    const isSpan = fromMs === null ? index === 0 : fromMs < toMs;
    return isSpan && (previous === undefined || fromMs === null || previous.toMs <= fromMs);
  });
}

const isWithin = (span: Span, { fromMs, toMs }: Span): boolean =>
  span.toMs <= toMs && (fromMs === null || (span.fromMs !== null && span.fromMs >= fromMs));

/** A window in which nothing can lie is without length, wherever it is. */
function isWithinAsked({ method, fromMs, toMs, asOfMs }: AnswerRequest, coverage: Span): boolean {
  if (coverage.fromMs === coverage.toMs) return true;
  return isSearch(method)
    ? isWithin(coverage, { fromMs, toMs })
    : coverage.toMs <= Math.max(toMs, asOfMs);
}
