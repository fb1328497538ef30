import { expect, test } from "vitest";
import { everyJob, jobAddress, jobsAddress, listPath, readFilter } from "./filters.ts";

const filter = {
  shown: "failed",
  platform: "x",
  method: "gettweets",
  text: "@ann ",
} as const;

test("the page's address contains the job filter", () => {
  expect(readFilter(new URLSearchParams(jobsAddress(filter)))).toEqual(filter);
  expect(readFilter(new URLSearchParams("show=lost&platform=myspace&method=search"))).toEqual(
    everyJob,
  );
  expect(jobAddress(everyJob, null)).toBe("/jobs");
  expect(jobAddress({ ...everyJob, text: "a b" }, "1")).toBe("/jobs/1?query=a+b");
});

test("the request filters jobs by the fields that are set", () => {
  expect(listPath(everyJob, 50, null)).toBe("/v1/search/live/jobs?limit=50");
  expect(listPath(filter, 50, "next")).toBe(
    "/v1/search/live/jobs?limit=50&status=error&platform=x&method=gettweets&query=%40ann&cursor=next",
  );
});
