import { useMemo } from "preact/compat";
import { isSearch } from "../../../../src/platforms/methods.ts";
import { HighlightedText } from "../../components/query.tsx";
import type { JobHead } from "../../jobs/job.ts";
import { readQuery } from "../playground/read-query.ts";
import { maxQueryLength } from "../playground/search-request.ts";

export function QueryText({ job: { query, method } }: { job: JobHead }) {
  const pieces = useMemo(
    () =>
      isSearch(method) && query !== "" ? readQuery(query, maxQueryLength(method)).pieces : null,
    [query, method],
  );
  if (query === "") return <code className="quiet">{method}</code>;
  return <code>{pieces === null ? query : <HighlightedText pieces={pieces} />}</code>;
}
