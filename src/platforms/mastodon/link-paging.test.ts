import fc from "fast-check";
import { Headers } from "undici";
import { expect, it } from "vitest";
import { linkWarnings, nextPaging, readPaging, writePaging } from "./link-paging.ts";
import { mastodonLimit } from "./upstream.ts";

const path = "/api/v1/accounts/1/followers";
const nextOf = (link: string, requested = path) => nextPaging(new Headers({ link }), requested);

it("a Mastodon list continues where the Link header says", () => {
  const url = "https://a.example/api/v1/accounts/1/followers";
  expect(
    nextOf(`<${url}?limit=2&max_id=7486869>; rel="next", <${url}?limit=2&since_id=9>; rel="prev"`),
  ).toEqual({
    max_id: "7486869",
  });
  expect(
    nextOf(`<${url}?since_id=9>; rel=prev,<${url}?max_id=01HZ>;rel=next;title="a, b"`),
  ).toEqual({
    max_id: "01HZ",
  });
  expect(nextOf(`<${path}?offset=40&q=x>; rel="prev next"`)).toEqual({ offset: "40" });
  expect(nextOf(`<${url}?max_id=%2B1>; rel="next"`)).toEqual({ max_id: "+1" });
});

it("a Link header that names another list or relation, or has an unknown form, is ignored", () => {
  for (const link of [
    '<https://a.example/api/v1/accounts/2/followers?max_id=1>; rel="next"',
    '<https://a.example/api/v1/accounts/1/followers?max_id=1>; rel="prev"',
    '<https://a.example/api/v1/accounts/1/followers?cursor=1>; rel="next"',
    '<https://a.example/api/v1/accounts/1/followers?max_id=1%0d%0aevil>; rel="next"',
    `<https://a.example/api/v1/accounts/1/followers?max_id=${"1".repeat(201)}>; rel="next"`,
    '<>; rel="next"',
    "nonsense",
    "<".repeat(8_000),
    `<x>;${" ;".repeat(4_000)}`,
  ]) {
    expect(nextOf(link)).toBeNull();
  }
  expect(nextPaging(new Headers(), path)).toBeNull();
});

it("a warning reports that a next page cannot be requested", () => {
  const getWarnings = (link: string) => linkWarnings(new Headers({ link }), path);
  for (const link of [
    '<https://a.example/api/v1/accounts/2/followers?max_id=1>; rel="next"',
    `<${path}?cursor=1>; rel="next"`,
    "x".repeat(9_000),
  ]) {
    expect(getWarnings(link)).toMatchObject([{ code: "page_token_unusable", isPartial: true }]);
  }
  for (const link of [`<${path}?max_id=1>; rel="next"`, `<${path}?min_id=1>; rel="prev"`]) {
    expect(getWarnings(link)).toEqual([]);
  }
  expect(linkWarnings(new Headers(), path)).toEqual([]);
});

it("no Link header causes an exception", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom("<", ">", ";", ",", '"', "rel=", "next", " ", "=", path, "?max_id=1"),
        { maxLength: 60 },
      ),
      (parts) => {
        nextOf(`x${parts.join("")}`);
      },
    ),
  );
});

it("Mastodon paging parameters are written and read back unchanged; invalid ones are rejected", () => {
  for (const paging of [{ max_id: "01ABC" }, { offset: "40" }, { max_id: "1", since_id: "0" }]) {
    expect(readPaging(writePaging(paging))).toEqual(paging);
  }
  for (const text of ["", "limit=1", "max_id=", "max_id=a%20b"])
    expect(readPaging(text)).toBeNull();
});

it("the reset of a Mastodon rate limit is read from an ISO 8601 time or a Unix time", () => {
  const getLimit = (remaining: string, reset: string) =>
    mastodonLimit(new Headers({ "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset }));
  expect(getLimit("299", "2026-11-20T12:05:00.000000Z")).toEqual({
    remaining: 299,
    resetMs: Date.UTC(2026, 10, 20, 12, 5),
  });
  expect(getLimit("0", "1700000000")).toEqual({ remaining: 0, resetMs: 1_700_000_000_000 });
  for (const [remaining, reset] of [
    ["-1", "2026-11-20"],
    ["5", "soon"],
    ["x", "2026-11-20"],
  ] as const) {
    expect(getLimit(remaining, reset)).toBeNull();
  }
  expect(mastodonLimit(new Headers())).toBeNull();
});
