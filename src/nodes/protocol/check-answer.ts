import { comparePositions } from "../../archive/search.ts";
import { isSearch } from "../../platforms/methods.ts";
import type { AnswerRequest, FetchedItem, SourceWay } from "../../platforms/source.ts";
import { firstTimeMs, idTimeMs, tellsTime } from "../../posts/ids.ts";
import { checkCoverage } from "./check-coverage.ts";
import { answerRefused } from "./faults.ts";
import { isAsked } from "./is-asked.ts";
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

/**
 * Whether what is told of an answer can be told of one to its request. Errors: `answer_refused` with `next_misplaced`,
 * `place_misplaced`, `source_misplaced`, `cost_misplaced`, `coverage_contradictory`, or what check-coverage.ts tells.
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
  if (sources.some(({ via, cost }) => cost !== undefined && !isBilledWay(via))) {
    throw answerRefused("cost_misplaced", "a cost is told of what nobody is billed for");
  }
  checkCoverage(request, coverage);
  if (complete && !coverage.complete) {
    throw answerRefused("coverage_contradictory", "a complete answer has gaps in its coverage");
  }
}

const isBilledWay = (via: SourceWay): boolean => via === "api" || via === "credential";
