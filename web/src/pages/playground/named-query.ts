import { type Ask, addressOf } from "./search-request.ts";

/**
 * The query that an answer has to be headed with, as it is not what the box holds or what is being searched; null where it is
 * plain which one was answered.
 */
export function queryToName(answered: Ask, box: Ask, isBusy: boolean): string | null {
  const isOther = answered.query.trim() !== box.query.trim();
  const isAskedAnew = isBusy && addressOf(answered) !== addressOf(box);
  return isOther || isAskedAnew ? answered.query : null;
}
