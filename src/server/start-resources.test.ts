import { expect, test } from "vitest";
import { requiredAtStart } from "./start-resources.ts";

test("starting with an empty archive and two readers needs 1 MiB and 120 files", () => {
  expect(requiredAtStart({ segments: 0, readers: 2 })).toEqual({ bytes: 1_048_576, files: 120 });
});

test("each segment needs space for its index file, and open files are bounded by what readers keep open", () => {
  const requirements = requiredAtStart({ segments: 1_000, readers: 2 });
  expect(requirements.bytes).toBe(1_048_576 + 65_536_000);
  expect(requirements.files).toBe(requiredAtStart({ segments: 64, readers: 2 }).files);
});
