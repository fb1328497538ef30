import { type Ask, addressOf } from "./search-request.ts";

/** The query to show in the heading if it differs from the composer or the running search; null otherwise. */
export function queryToName(answered: Ask, box: Ask, isBusy: boolean): string | null {
  const isOther = answered.query.trim() !== box.query.trim();
  const isAskedAnew = isBusy && addressOf(answered) !== addressOf(box);
  return isOther || isAskedAnew ? answered.query : null;
}
