import { type Request, searchAddress } from "./search-request.ts";

/** The query to show in the heading if it differs from the composer or the running search; null otherwise. */
export function differingQuery(
  answeredRequest: Request,
  composed: Request,
  isBusy: boolean,
): string | null {
  const isOther = answeredRequest.query.trim() !== composed.query.trim();
  const isSearchingAgain = isBusy && searchAddress(answeredRequest) !== searchAddress(composed);
  return isOther || isSearchingAgain ? answeredRequest.query : null;
}
