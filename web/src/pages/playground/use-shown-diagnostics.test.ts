import { expect, test } from "vitest";
import { readQuery } from "./read-query.ts";
import { diagnosticsWhileTyping } from "./use-shown-diagnostics.ts";

function shownFor(query: string, seen: readonly string[] = []): string[] {
  const { diagnostics } = readQuery(query, 1_000);
  return diagnosticsWhileTyping(diagnostics, new Set(seen), query, query.length).map(
    ({ code }) => code,
  );
}

test("no diagnostic is shown for the word that is being typed", () => {
  expect(readQuery("harbour since:2026-0", 1_000).hasError).toBe(true);
  expect(shownFor("harbour since:2026-0")).toEqual([]);
  expect(shownFor("harbour since:2026-0 gates")).not.toEqual([]);
});

test("no diagnostic is shown inside a quote or group that is still open", () => {
  expect(shownFor('"storm surge')).toEqual([]);
  expect(shownFor('"storm min_fave:50 surge')).toEqual([]);
  expect(shownFor("(storm since:2026-0 surge")).toEqual([]);
});

test("a diagnostic that was already shown stays visible while typing", () => {
  const [code = ""] = readQuery("harbour since:2026-0", 1_000).diagnostics.map(
    (diagnostic) => diagnostic.code,
  );
  expect(shownFor("harbour since:2026-0", [code])).toEqual([code]);
});
