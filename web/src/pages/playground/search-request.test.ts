import { describe, expect, it } from "vitest";
import {
  makeSubmission,
  readRequest,
  searchPagePath,
  sizesFor,
  withMethod,
} from "./search-request.ts";

const defaults = {
  query: "",
  method: "searchbyquery",
  platform: "social",
  maxResults: 20,
} as const;

describe("a search's address", () => {
  it("a search's address preserves any query", () => {
    const request = {
      query: '"storm surge" & a=b #tag +c\n"ü 🎉 %41"',
      method: "searchbyfullarchive",
      platform: "bluesky",
      maxResults: 500,
    } as const;
    const [, search = ""] = searchPagePath(request).split("?");
    expect(readRequest(search)).toEqual(request);
  });

  it("a search's address contains start and end times, and ignores invalid ones", () => {
    const times = { startTime: "2026-11-01T00:00:00.000Z", endTime: "2026-11-02T10:30:00.000Z" };
    const [, search = ""] = searchPagePath({ ...defaults, ...times }).split("?");
    expect(readRequest(search)).toEqual({ ...defaults, ...times });
    expect(readRequest("from=yesterday&to=")).toEqual(defaults);
    expect(makeSubmission({ ...defaults, ...times }).body.arguments).toMatchObject({
      start_time: times.startTime,
      end_time: times.endTime,
    });
  });

  it("a search's address omits default values", () => {
    expect(searchPagePath(defaults)).toBe("/playground");
    expect(searchPagePath({ ...defaults, query: "comet" })).toBe("/playground?q=comet");
  });

  it("a search's address falls back to defaults for invalid values", () => {
    expect(readRequest("method=getnothing&platform=myspace&max=101")).toEqual(defaults);
    expect(readRequest("max=0")).toEqual(defaults);
    expect(readRequest("max=7.5")).toEqual(defaults);
    expect(readRequest("")).toEqual(defaults);
  });

  it("a search's address keeps a size other than those offered", () => {
    const request = readRequest("max=37");
    expect(request.maxResults).toBe(37);
    expect(sizesFor(request)).toEqual([20, 37, 50, 100]);
  });
});

it("500 posts are offered only for the full archive", () => {
  const archive = { ...defaults, method: "searchbyfullarchive", maxResults: 500 } as const;
  expect(sizesFor(archive)).toEqual([20, 50, 100, 500]);
  expect(withMethod(archive, "searchbyquery").maxResults).toBe(100);
});

it("other methods are submitted with their target, or none", () => {
  const followers = { ...defaults, method: "getfollowers", query: "ann.example" } as const;
  expect(makeSubmission(followers).body.arguments).toMatchObject({
    type: "getfollowers",
    query: "ann.example",
  });
  const trends = readRequest("method=gettrends&q=left-over&from=2026-11-01");
  expect(makeSubmission(trends).body.arguments).toEqual({ type: "gettrends", max_results: 20 });
});

it("a search is submitted to its platform's path, with the platform as type", () => {
  expect(makeSubmission({ ...defaults, query: "comet", platform: "x" })).toEqual({
    path: "/v1/search/x",
    body: { type: "x", arguments: { type: "searchbyquery", query: "comet", max_results: 20 } },
  });
});
