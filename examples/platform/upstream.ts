import type { Upstream } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { hackerNewsDescription } from "./description.ts";
import { hackerNewsSearch, itemById } from "./search.ts";

export function createHackerNewsUpstream({ apiUrl }: { apiUrl: string }): Upstream {
  return {
    platform: "hackernews",
    support: hackerNewsDescription.support,
    page: async ({ method, target }, session) =>
      method === "getbyid" && target?.kind === "post"
        ? await itemById(target.id, session)
        : absentPage,
    search: hackerNewsSearch,
    publicBaseUrl: apiUrl,
    // The API sends no rate-limit headers.
    readLimit: () => null,
    intervalMs: () => 400,
    computePrice: null,
    displayScope: () => "everything",
  };
}
