import { type Request, searchAddress } from "./search-request.ts";

/** The query to show in the heading if it differs from the composer or the running search; null otherwise. */
export function queryToName(answered: Request, box: Request, isBusy: boolean): string | null {
  const isOther = answered.query.trim() !== box.query.trim();
  const isRequestedAnew = isBusy && searchAddress(answered) !== searchAddress(box);
  return isOther || isRequestedAnew ? answered.query : null;
}
