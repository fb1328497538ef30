import { parentPort, workerData } from "node:worker_threads";
import { type Ids, useIdCache } from "../../src/archive/sealed/id-cache.ts";
import type { SharedIdCache } from "../../src/archive/sealed/shared-pages.ts";
import { computedIds } from "../data/computed-ids.ts";

/** If `rounds` is null, the worker never ends. */
export type IdCacheTask = { shared: SharedIdCache; seed: number; rounds: number | null };

export type IdCacheFindings = { mismatches: string[]; pagesRead: number };

const { shared, seed, rounds } = workerData as IdCacheTask;
const cache = useIdCache(shared, 4);
const sources = Array.from({ length: 8 }, (_, segment) =>
  computedIds(segment, 3_000 + 997 * segment),
);
const openIds = new Map<number, Ids>();
const mismatches: string[] = [];
let state = seed;

function drawBelow(end: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * end);
}

function checkSegment(segment: number): void {
  const source = sources[segment];
  if (source === undefined) return;
  const ids = openIds.get(segment) ?? cache.open(source);
  openIds.set(segment, ids);
  const first = drawBelow(source.posts);
  for (
    let number = first;
    number < Math.min(source.posts, first + 40);
    number += 1 + drawBelow(9)
  ) {
    const id = source.idOf(number);
    const page = source.pageOf(number);
    if (ids.at(number) !== id) mismatches.push(`${segment}: ID of ${number}`);
    if (ids.firstNumberBelow(page, id) !== number + 1) mismatches.push(`${segment}: below ${id}`);
    if (source.pageOf(number + 1) === page && ids.firstNumberBelow(page, id + 1n) !== number) {
      mismatches.push(`${segment}: below ${id} and one`);
    }
  }
  if (drawBelow(50) > 0) return;
  ids.close();
  openIds.delete(segment);
}

for (let round = 0; rounds === null || round < rounds; round++) {
  checkSegment(drawBelow(3) === 0 ? drawBelow(sources.length) : drawBelow(2));
  if (rounds === null && round === 100) parentPort?.postMessage("under way");
}
const pagesRead = sources.reduce((total, source) => total + source.pagesRead(), 0);
const findings: IdCacheFindings = { mismatches: mismatches.slice(0, 10), pagesRead };
parentPort?.postMessage(findings);
