import { addLocation, type IndexLocations } from "./index-findings.ts";
import type { IndexChecksums } from "./index-sums.ts";
import type { SealedDocNumbers } from "./sealed-doc-numbers.ts";
import type { CheckedPostings } from "./sealed-postings.ts";

type OnTerm = (term: string, postings: CheckedPostings) => void;

export const sealedPositionCollector =
  (
    sealed: SealedDocNumbers,
    storedLocations: IndexLocations,
    isIncluded: (number: number) => boolean,
  ): OnTerm =>
  (term, { count, numbers, positions, starts }) => {
    for (let index = 0; index < count; index++) {
      const number = numbers[index] ?? 0;
      if (!isIncluded(number) || sealed.isReplaced(number)) continue;
      const id = sealed.docId(number);
      if (positions === null) {
        addLocation(storedLocations, term, id, 0);
        continue;
      }
      const end = starts[index + 1] ?? 0;
      for (let offset = starts[index] ?? 0; offset < end; offset++)
        addLocation(storedLocations, term, id, positions[offset] ?? 0);
    }
  };

export const addSealedSums =
  (sealed: SealedDocNumbers, sums: IndexChecksums): OnTerm =>
  (term, { count, numbers, positions, starts }) => {
    let total = 0;
    let uppers = 0;
    let lowers = 0;
    let offsets = 0;
    let products = 0;
    const add = (upper: number, lower: number, position: number): void => {
      total += 1;
      uppers = (uppers + upper) | 0;
      lowers = (lowers + lower) | 0;
      offsets = (offsets + position) | 0;
      products = (products + Math.imul(lower, position + 1)) | 0;
    };
    for (let index = 0; index < count; index++) {
      const number = numbers[index] ?? 0;
      if (sealed.isReplaced(number)) continue;
      const upper = sealed.upperHalf(number);
      const lower = sealed.lowerHalf(number);
      if (positions === null) {
        add(upper, lower, 0);
        continue;
      }
      const end = starts[index + 1] ?? 0;
      for (let offset = starts[index] ?? 0; offset < end; offset++)
        add(upper, lower, positions[offset] ?? 0);
    }
    sums.addToken(term, [total, uppers, lowers, offsets, products]);
  };
