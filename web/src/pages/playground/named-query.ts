import { type Request, searchAddress } from "./search-request.ts";

/** The heading's query; null unless it differs from the composer or the running search. */
export function differingQuery(
  answeredRequest: Request,
  composed: Request,
  isBusy: boolean,
): string | null {
  const isOther = answeredRequest.query.trim() !== composed.query.trim();
  const isSearchingAgain = isBusy && searchAddress(answeredRequest) !== searchAddress(composed);
  return isOther || isSearchingAgain ? answeredRequest.query : null;
}
