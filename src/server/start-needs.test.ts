import { expect, test } from "vitest";
import { startNeeds } from "./start-needs.ts";

test("starting with an empty archive needs 1 MiB and some files", () => {
  expect(startNeeds({ segments: 0, readers: 2 })).toEqual({ bytes: 1_048_576, files: 112 });
});

test("each segment needs space for its index file; open files are bounded by what readers keep open", () => {
  const many = startNeeds({ segments: 1_000, readers: 2 });
  expect(many.bytes).toBe(1_048_576 + 65_536_000);
  expect(many.files).toBe(startNeeds({ segments: 64, readers: 2 }).files);
});
