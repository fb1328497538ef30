import { expect, test } from "vitest";
import { allJobsFilter, jobPagePath, jobsPageParameters, listPath, readFilter } from "./filters.ts";

const filter = {
  state: "failed",
  platform: "x",
  method: "gettweets",
  text: "@ann ",
} as const;

test("the page's address contains the job filter", () => {
  expect(readFilter(new URLSearchParams(jobsPageParameters(filter)))).toEqual(filter);
  expect(readFilter(new URLSearchParams("show=lost&platform=myspace&method=search"))).toEqual(
    allJobsFilter,
  );
  expect(jobPagePath(allJobsFilter, null)).toBe("/jobs");
  expect(jobPagePath({ ...allJobsFilter, text: "a b" }, "1")).toBe("/jobs/1?query=a+b");
});

test("the request filters jobs by the fields that are set", () => {
  expect(listPath(allJobsFilter, 50, null)).toBe("/v1/search/live/jobs?limit=50");
  expect(listPath(filter, 50, "next")).toBe(
    "/v1/search/live/jobs?limit=50&status=error&platform=x&method=gettweets&query=%40ann&cursor=next",
  );
});
