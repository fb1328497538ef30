import { describe, expect, test } from "vitest";
import { renderMarkdownAnswer } from "./markdown.ts";
import type { AnswerPage } from "./page.ts";
import type { PostRecord } from "./record.ts";
import { pageWith } from "./test-page.ts";

const render = (page: AnswerPage) => [...renderMarkdownAnswer(page)].join("");

function withCoverage(
  texts: readonly string[],
  result: Partial<AnswerPage["result"]>,
  overrides: Parameters<typeof pageWith>[1] = {},
): AnswerPage {
  const page = pageWith(texts, overrides);
  return { ...page, result: { ...page.result, ...result } };
}

const day = 86_400_000;
const window = "from 1970-01-01T00:00:00.000Z to 1970-01-02T00:00:00.000Z";
const gap = { fromMs: 3_600_000, toMs: 7_200_000 };
const incompleteCoverage = {
  complete: false,
  coverage: { fromMs: null, toMs: day, complete: false, gaps: [{ fromMs: null, toMs: 0 }, gap] },
};

describe("the coverage sentences", () => {
  test.each([
    [
      "empty and complete",
      pageWith([]),
      `No post was found. There are none: coverage is complete ${window}.`,
    ],
    ["complete", pageWith(["a", "b"]), `2 posts, newest first. Coverage is complete ${window}.`],
    [
      "empty and incomplete",
      withCoverage([], incompleteCoverage),
      "No post was found. There may be some: coverage is incomplete before 1970-01-02T00:00:00.000Z. " +
        "Missing: before 1970-01-01T00:00:00.000Z; from 1970-01-01T01:00:00.000Z to 1970-01-01T02:00:00.000Z.",
    ],
    [
      "incomplete",
      withCoverage(["a"], incompleteCoverage),
      "1 post. There may be more: coverage is incomplete before 1970-01-02",
    ],
    [
      "timed out",
      withCoverage([], { complete: false }, { nextCursor: "further" }),
      `No post has been found so far. The search timed out before covering all posts ${window}.`,
    ],
  ])("the Markdown coverage sentences describe a page: %s", (_, page, words) => {
    expect(render(page)).toContain(`\n\n${words}`);
  });

  test("the Markdown answer names the platforms that answered live", () => {
    const sources = [
      { platform: "bluesky", via: "archive", fromMs: 0, toMs: day, count: 1 },
      { platform: "x", via: "api", fromMs: 0, toMs: day, count: 1 },
    ] as const;
    expect(render(withCoverage(["a"], { sources }))).toContain(
      `Coverage is complete ${window}. Answered live by x.\n`,
    );
  });

  test("the Markdown coverage sentences list the newest of many gaps", () => {
    const gaps = Array.from({ length: 14 }, (_, hour) => ({ fromMs: hour, toMs: hour + 1 }));
    const page = withCoverage([], { coverage: { fromMs: 0, toMs: day, complete: false, gaps } });
    expect(render(page)).toContain("Missing: 4 earlier gaps; from 1970-01-01T00:00:00.004Z");
  });
});

test("the Markdown answer may contain a post without text, author or link", () => {
  expect(render(pageWith([" \n"]))).toContain(
    "1. unknown author · unknown time · unknown platform · no link\n\n   (no text)\n\n",
  );
});

test("the texts of Markdown items are indented by the width of the item's number", () => {
  const lines = render(pageWith(Array.from({ length: 10 }, () => "a\n\nb"))).split("\n");
  expect(lines).toContain("9. unknown author · unknown time · unknown platform · no link");
  expect(lines.filter((line) => line === "   >     a")).toHaveLength(9);
  expect(lines.slice(lines.indexOf("    >     a"))).toEqual(
    expect.arrayContaining(["    >     a", "    >", "    >     b"]),
  );
});

test("the Markdown answer shows warnings as sentences, regardless of what they echo", () => {
  const warnings = [{ code: "unknown_operator", message: 'no "<b>*re*"', hint: "write\n_re_" }];
  const page = pageWith([]);
  const text = render({ ...page, job: { ...page.job, warnings } });
  expect(text).toContain('- `unknown_operator`: no "\\<b\\>\\*re\\*" (write \\_re\\_)\n');
});

describe("the answer of a method that does not search", () => {
  const part = { platform: "x", via: "api", fromMs: null, toMs: day, count: 1 } as const;

  function fetchedPage(
    method: AnswerPage["job"]["request"]["method"],
    records: readonly PostRecord[],
    result: Partial<AnswerPage["result"]> = {},
    overrides: Parameters<typeof pageWith>[1] = {},
  ): AnswerPage {
    const page = withCoverage([], { sources: [part], ...result }, overrides);
    const request = { ...page.job.request, platform: "x" as const, method };
    const posts = records.map((record) => ({ record, json: "", shortenedFrom: null }));
    return { ...page, job: { ...page.job, request, canonicalQuery: "x:@ann" }, posts };
  }

  const makeRecord = (
    ID: string,
    Content: string,
    Metadata: PostRecord["Metadata"],
  ): PostRecord => ({
    ID,
    Content,
    Metadata: { platform: "x", url: null, created_at: null, ...Metadata },
    Score: 1,
  });

  test("the Markdown answer names a profile", () => {
    const namedProfile = {
      kind: "profile",
      username: "ann",
      author: "An `n`",
      url: "https://x.com/ann",
    };
    const text = render(fetchedPage("getfollowers", [makeRecord("12", "writes", namedProfile)]));
    expect(text).toMatch(/^# getfollowers: `x:@ann`\n\n1 account\. The platform has no more\.\n/);
    expect(text).toContain("1. `@ann` · `` An `n` `` · x · <https://x.com/ann>\n\n   >     writes");
  });

  test("the Markdown answer identifies a profile without names by its ID", () => {
    const withheldProfile = { kind: "profile", username: "", author: null };
    const text = render(fetchedPage("getfollowers", [makeRecord("12", "", withheldProfile)]));
    expect(text).toContain("1. `12` · x · no link\n\n   (no text)");
  });

  test("the Markdown answer describes trends and spaces", () => {
    const trends = render(fetchedPage("gettrends", [makeRecord("2", "#comet", { kind: "trend" })]));
    expect(trends).toContain("1 trend. ");
    expect(trends).toContain("1. rank `2` · x · no link\n\n   >     #comet");
    const live = { kind: "space", state: "live", created_at: "2026-01-31T12:00:00Z" };
    const spaces = render(fetchedPage("getspace", [makeRecord("1a", "On comets", live)]));
    expect(spaces).toContain("1 space. ");
    expect(spaces).toContain("1. `live` · 2026-01-31T12:00:00Z · x · no link");
  });

  test.each([
    [
      "that is followed by another",
      {},
      { nextCursor: "n" },
      "No account has been found so far. There is more.",
    ],
    ["that is the last one", {}, {}, "No account was found. The platform has no more."],
    [
      "that ended early",
      { complete: false },
      {},
      "No account was found. There may be some: the search ended early.",
    ],
  ])("the Markdown answer describes a page of results %s", (_, result, overrides, sentences) => {
    expect(render(fetchedPage("getfollowing", [], result, overrides))).toContain(sentences);
  });

  test("the Markdown answer reports coverage if the archive answered", () => {
    const sources = [{ ...part, via: "archive" as const }];
    const text = render(fetchedPage("gettweets", [], { sources, ...incompleteCoverage }));
    expect(text).toContain("coverage is incomplete");
  });
});
