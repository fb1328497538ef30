import { type Request, searchPagePath } from "./search-request.ts";

/** The heading's query; null unless it differs from the composer or the running search. */
export function differingQuery(
  answeredRequest: Request,
  composerRequest: Request,
  isBusy: boolean,
): string | null {
  const isOther = answeredRequest.query.trim() !== composerRequest.query.trim();
  const isSearchingAgain =
    isBusy && searchPagePath(answeredRequest) !== searchPagePath(composerRequest);
  return isOther || isSearchingAgain ? answeredRequest.query : null;
}
