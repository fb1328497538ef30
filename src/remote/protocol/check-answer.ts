import { setImmediate as nextTurn } from "node:timers/promises";
import type { Position } from "../../archive/archive.ts";
import { comparePositions, shareMillisecond } from "../../archive/read/search.ts";
import { type FetchMethod, isSearch } from "../../platforms/methods.ts";
import type { AnswerRequest, FetchedItem, SourceWay } from "../../platforms/source.ts";
import { uriHash } from "../../posts/ids.ts";
import { parseQuery } from "../../query/parse.ts";
import type { QueryNode } from "../../query/tree.ts";
import { checkCoverage, isAsked } from "./check-coverage.ts";
import { couldMatch, timesOf } from "./could-match.ts";
import { answerRefused } from "./errors.ts";
import type { Knowledge } from "./knowledge-text.ts";
import type { ReadRecord, RecordKind } from "./read-record.ts";

/** An item and what its record says. */
export type CheckedItem = { item: FetchedItem; record: ReadRecord };

/**
 * Whether the items of an answer can be an answer to its request: of the platform and kind that was requested, each post once,
 * and of a search, newest first, within the window, and matching the query as far as records show it. Whether it is true no
 * gateway can tell. Errors: `answer_refused` with `too_many_items`, `repeated_item`, `out_of_order`, `before_its_page`, or what
 * `createItemCheck` throws.
 */
export async function checkItems(
  request: AnswerRequest,
  items: readonly CheckedItem[],
): Promise<void> {
  if (items.length > request.maxResults) {
    throw answerRefused("too_many_items", `more than ${request.maxResults} items were given`);
  }
  const check = createItemCheck(request);
  const seen = new Set<string>();
  const rest = createRest();
  let before = request.after;
  for (const checked of items) {
    check(checked);
    await rest(checked.item.record.length);
    const names = namesOf(checked);
    if (names.some((name) => seen.has(name))) {
      throw answerRefused("repeated_item", "an item is in the answer twice");
    }
    for (const name of names) seen.add(name);
    const { platform, id, uri } = checked.item;
    if (!isSearch(request.method) || id === null) continue;
    const isFirst = before === request.after;
    const isInOrder =
      before === null ||
      (isFirst
        ? isNotBefore(before, { platform, id, uri })
        : comparePositions(before, { platform, id }) < 0);
    if (!isInOrder) {
      const code = isFirst ? "before_its_page" : "out_of_order";
      throw answerRefused(code, "the items of a search are not in their order, newest first");
    }
    before = { platform, id };
  }
}

/**
 * Whether a post can come after a position that another node gave: within a millisecond the order is that of `uriHash`, which a
 * node whose segments are not rewritten yet does not know.
 */
function isNotBefore(after: Position, post: Position & { uri: string | null }): boolean {
  if (after.uriHash === undefined || post.uri === null || !shareMillisecond(after, post)) {
    return comparePositions(after, post) < 0;
  }
  return uriHash(post.uri) !== after.uriHash;
}

/** Characters of records that are read or matched in one turn of the event loop. */
const turnLength = 131_072;

/** Yields to the event loop after each so many characters of work. */
export function createRest(): (length: number) => Promise<void> {
  let done = 0;
  return async (length) => {
    done += length;
    if (done < turnLength) return;
    done = 0;
    await nextTurn();
  };
}

/** An item goes by its ID and by its uri: no two have either in common. */
function namesOf({ item: { platform, id, uri }, record }: CheckedItem): readonly string[] {
  const name = `${platform} ${id === null} ${record.id}`;
  return uri === null ? [name] : [name, `${platform} uri ${uri}`];
}

/**
 * Checks one item after another by itself. Errors: `answer_refused` with `other_platform`, `not_a_post`, `other_kind`,
 * `outside_window` or `not_a_match`.
 */
export function createItemCheck(request: AnswerRequest): (checked: CheckedItem) => void {
  const { method, fromMs, toMs, asOfMs } = request;
  let tree: QueryNode | null = null;

  function checkFound({ item, record }: CheckedItem): void {
    const { id } = item;
    if (id === null) {
      throw answerRefused("not_a_post", "a search was answered with what is no post");
    }
    const { earliestMs, latestMs } = timesOf(id, record.createdMs);
    if (earliestMs >= toMs || (fromMs !== null && latestMs < fromMs)) {
      throw answerRefused("outside_window", "a post is outside the window that was requested");
    }
    tree ??= parseQuery(request.query, { maxLength: Number.POSITIVE_INFINITY }).tree;
    if (!couldMatch(tree, asOfMs, { ...item, id }, record)) throw notAMatch();
  }

  function checkFetched({ item, record }: CheckedItem, kind: RecordKind): void {
    if (record.kind !== kind) {
      throw answerRefused("other_kind", `${method} was answered with a ${record.kind}`);
    }
    const { target = null } = request;
    const uri = method === "getbyid" && target?.kind === "post" ? target.uri : null;
    // The address of a post on Mastodon may be another than its uri.
    if (uri !== null && item.platform !== "mastodon" && item.uri !== uri) throw notAMatch();
  }

  return (checked) => {
    if (!isAsked(request, checked.item.platform)) {
      throw answerRefused("other_platform", "an item is of a platform that was not asked");
    }
    if (isSearch(method)) checkFound(checked);
    else checkFetched(checked, kindsOfMethods[method]);
  };
}

const notAMatch = () => answerRefused("not_a_match", "an item does not match the query");

const kindsOfMethods: Readonly<Record<FetchMethod, RecordKind>> = {
  searchbyprofile: "profile",
  getbyid: "post",
  getreplies: "post",
  getretweeters: "profile",
  gettweets: "post",
  getmedia: "post",
  gethometweets: "post",
  getforyoutweets: "post",
  getprofilebyid: "profile",
  gettrends: "trend",
  getfollowing: "profile",
  getfollowers: "profile",
  getspace: "space",
};

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
    if (next === null || place === null) continue;
    const isOwn = place !== request.after || !shareMillisecond(next, place);
    if (isOwn && comparePositions(next, place) < 0) {
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
