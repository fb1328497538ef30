import { idsPerPage } from "../../src/archive/sealed/format.ts";
import type { IdSource } from "../../src/archive/sealed/id-cache.ts";

/** A source that counts its page reads. */
export type ComputedIds = IdSource & {
  idOf(number: number): bigint;
  pageOf(number: number): number;
  pagesRead(): number;
};

export function computedIds(segment: number, posts: number): ComputedIds {
  const newest = BigInt(segment + 1) * 10n ** 17n;
  const idOf = (number: number): bigint =>
    newest - BigInt(number * 1_000 + ((number * 7_919) % 997));
  const firstIds = BigInt64Array.from({ length: Math.ceil(posts / idsPerPage) }, (_, page) =>
    idOf(page * idsPerPage),
  );
  let pagesRead = 0;

  function read(page: number): BigInt64Array {
    pagesRead += 1;
    const first = page * idsPerPage;
    const length = Math.min(idsPerPage, posts - first);
    return BigInt64Array.from({ length }, (_, index) => idOf(first + index));
  }

  const pageOf = (number: number): number => Math.floor(number / idsPerPage);
  return { name: String(segment), posts, firstIds, read, idOf, pageOf, pagesRead: () => pagesRead };
}
