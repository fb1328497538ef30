import type { Options } from "minisearch";

/** Shared by the build and the page's script. */
export const searchOptions: Options = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "excerpt"],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
};
