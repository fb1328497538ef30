import { expect, it } from "vitest";
import { readTarget } from "../read-target.ts";
import { createMastodonUpstream } from "./upstream.ts";

const upstream = createMastodonUpstream({ instance: null });
const getOrigin = (kind: "user" | "post", query: string) =>
  upstream.publicOrigin?.(readTarget(kind, query, "mastodon"));

it("the server that a query names is used even if none is configured", () => {
  expect(upstream.publicBaseUrl).toBeNull();
  for (const [kind, query] of [
    ["user", "@ann@far.example"],
    ["user", "109@far.example"],
    ["user", "https://near.example/@ann@far.example"],
    ["user", "https://far.example/@ann"],
    ["post", "https://far.example/@ann/109"],
    ["post", "https://far.example/users/ann/statuses/109"],
    ["post", "import:mastodon:109@far.example"],
  ] as const) {
    expect([query, getOrigin(kind, query)]).toEqual([query, "https://far.example"]);
  }
});

it("a query that names no server has no origin", () => {
  for (const [kind, query] of [
    ["user", "@ann"],
    ["user", "109"],
    ["post", "109"],
    ["post", "import:mastodon:109"],
  ] as const) {
    expect([query, getOrigin(kind, query)]).toEqual([query, null]);
  }
  expect(upstream.publicOrigin?.(null)).toBeNull();
});

it("the configured Mastodon server is an origin", () => {
  expect(createMastodonUpstream({ instance: "https://near.example/about" }).publicBaseUrl).toBe(
    "https://near.example",
  );
});
