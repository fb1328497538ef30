import type { PlanNode } from "@earshot/query/plan";
import { expect, test } from "vitest";
import { platformQuery } from "../../src/archive/read/platform-query.ts";
import { lastId } from "../../src/posts/ids.ts";
import { segmentForms } from "../../testkit/archives/segment-forms.ts";

const words = ["a", "b", "c", "d", "e"];
const phrase = (...tokens: string[]): PlanNode => ({
  kind: "terms",
  elements: tokens.map((token) => ({ kind: "token", token })),
});

test("a chunk that is searched for many phrases is split into parts with the same matches", () => {
  const posts = Array.from({ length: 6_000 }, (_, number) => ({
    id: BigInt(number + 1) << 22n,
    timeMs: number,
    terms: Array.from(
      { length: 12 },
      (_, position) => words[(number * 7 + position * position * 3 + (number >> 3)) % words.length],
    ).join(" "),
  }));
  const forms = segmentForms(posts);
  try {
    const children = Array.from({ length: 120 }, (_, n) =>
      phrase(...[n, n >> 1, n >> 2, n * 3].map((value) => words[value % words.length] as string)),
    );
    for (const plan of [
      { kind: "or", children },
      { kind: "not", child: { kind: "or", children } },
      { kind: "and", children: [{ kind: "or", children }, phrase("a", "c")] },
    ] as const satisfies PlanNode[]) {
      const window = { conjuncts: [plan], fromMs: null, toMs: null, lowId: null, highId: null };
      const query = platformQuery("x", window);
      if (query === null) throw new Error("nothing can match");
      const requested = { ...query, skew: { minMs: 0, maxMs: 0 } };
      const range = { low: 0n, high: lastId };
      const expected = forms.plain.search(requested, range, 10_000, () => false).ids;
      expect(forms.sealed.search(requested, range, 10_000, () => false).ids).toEqual(expected);
      const found: bigint[] = [];
      let slices = 0;
      for (let high: bigint | null = lastId; high !== null; slices++) {
        const part = forms.sealed.search(requested, { low: 0n, high }, 10_000, () => true);
        found.push(...part.ids);
        high = part.stoppedAt === null ? null : part.stoppedAt - 1n;
      }
      expect(found).toEqual(expected);
      expect(slices).toBeGreaterThan(2);
    }
  } finally {
    forms.remove();
  }
});
