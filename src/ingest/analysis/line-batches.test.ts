import { expect, test } from "vitest";
import { createLineSplitter } from "../import/lines.ts";
import { type LineBatch, lineBatches } from "./analysed-batches.ts";

const bounds = { maxLines: 3, maxBytes: 1_000, maxLineBytes: 20 };

async function* readPieces(text: string, pieceBytes: number, end?: Error): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; offset += pieceBytes)
    yield bytes.subarray(offset, offset + pieceBytes);
  if (end !== undefined) throw end;
}

async function getBatches(
  pieces: AsyncIterable<Buffer>,
  offset = 0,
  overrides: Partial<typeof bounds> = {},
): Promise<LineBatch[]> {
  const batches: LineBatch[] = [];
  for await (const batch of lineBatches(pieces, offset, { ...bounds, ...overrides }))
    batches.push(batch);
  return batches;
}

const linesIn = ({ bytes }: LineBatch): string[] => {
  const splitter = createLineSplitter(bounds.maxLineBytes, { lines: 0, offset: 0 });
  const lines = [...splitter.feed(Buffer.from(bytes)), splitter.end()];
  return lines.flatMap((line) =>
    line === null ? [] : [line.isTooLong ? "too long" : `${line.bytes}`],
  );
};

const text = `one\r\n\n${"x".repeat(20)}\r\n${"y".repeat(21)}\nfive\n${"z".repeat(500)}\nseven\n\nlast`;

test.each([1, 2, 7, 64, 1_000])(
  "a source read in pieces of %d bytes yields the same lines",
  async (pieceBytes) => {
    const batches = await getBatches(readPieces(text, pieceBytes), 10);
    expect(batches.map(({ lines }) => lines)).toEqual([3, 3, 3]);
    expect(batches.map(linesIn)).toEqual([
      ["one", "", "x".repeat(20)],
      ["too long", "five", "too long"],
      ["seven", "", "last"],
    ]);
    const ends = batches.map(({ endOffset }) => endOffset);
    expect(batches.map(({ startOffset }) => startOffset)).toEqual([10, ...ends.slice(0, -1)]);
    expect(ends.at(-1)).toBe(10 + text.length);
  },
);

test("a batch of lines ends with the line that fills it", async () => {
  const batches = await getBatches(readPieces("aaaa\nbbbb\ncccc\n", 4), 0, { maxBytes: 6 });
  expect(batches.map(({ lines }) => lines)).toEqual([2, 1]);
});

test("only enough of an endless line is stored to show that it is too long", async () => {
  const [batch] = await getBatches(readPieces("x".repeat(100_000), 100));
  expect(batch?.bytes.length).toBeLessThan(100);
  expect(batch?.endOffset).toBe(100_000);
});

test("the complete lines before a source error are yielded as a batch", async () => {
  const batches: LineBatch[] = [];
  const broken = lineBatches(readPieces("one\ntwo\nthr", 5, new Error("broken")), 0, bounds);
  await expect(
    (async () => {
      for await (const batch of broken) batches.push(batch);
    })(),
  ).rejects.toThrow("broken");
  expect(batches.map(linesIn)).toEqual([["one", "two"]]);
  expect(batches[0]?.endOffset).toBe(8);
});

test("an empty source has no batches", async () => {
  expect(await getBatches(readPieces("", 5))).toEqual([]);
});
