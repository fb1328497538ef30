import { expect, test } from "vitest";
import { createLineSplitter } from "../import/lines.ts";
import { type LineChunk, lineChunks } from "./analysed-chunks.ts";

const bounds = { maxLines: 3, maxBytes: 1_000, maxLineBytes: 20 };

async function* readPieces(text: string, pieceBytes: number, end?: Error): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; offset += pieceBytes)
    yield bytes.subarray(offset, offset + pieceBytes);
  if (end !== undefined) throw end;
}

async function getChunks(
  pieces: AsyncIterable<Buffer>,
  offset = 0,
  overrides: Partial<typeof bounds> = {},
): Promise<LineChunk[]> {
  const chunks: LineChunk[] = [];
  for await (const chunk of lineChunks(pieces, offset, { ...bounds, ...overrides }))
    chunks.push(chunk);
  return chunks;
}

const linesIn = ({ bytes }: LineChunk): string[] => {
  const splitter = createLineSplitter(bounds.maxLineBytes, { lines: 0, offset: 0 });
  const lines = [...splitter.feed(Buffer.from(bytes)), splitter.end()];
  return lines.flatMap((line) =>
    line === null ? [] : [line.tooLong ? "too long" : `${line.bytes}`],
  );
};

const text = `one\r\n\n${"x".repeat(20)}\r\n${"y".repeat(21)}\nfive\n${"z".repeat(500)}\nseven\n\nlast`;

test.each([1, 2, 7, 64, 1_000])(
  "a source read in pieces of %d bytes yields the same lines",
  async (pieceBytes) => {
    const chunks = await getChunks(readPieces(text, pieceBytes), 10);
    expect(chunks.map(({ lines }) => lines)).toEqual([3, 3, 3]);
    expect(chunks.map(linesIn)).toEqual([
      ["one", "", "x".repeat(20)],
      ["too long", "five", "too long"],
      ["seven", "", "last"],
    ]);
    const ends = chunks.map(({ endOffset }) => endOffset);
    expect(chunks.map(({ startOffset }) => startOffset)).toEqual([10, ...ends.slice(0, -1)]);
    expect(ends.at(-1)).toBe(10 + text.length);
  },
);

test("a chunk of lines ends with the line that fills it", async () => {
  const chunks = await getChunks(readPieces("aaaa\nbbbb\ncccc\n", 4), 0, { maxBytes: 6 });
  expect(chunks.map(({ lines }) => lines)).toEqual([2, 1]);
});

test("only enough of an endless line is stored to show that it is too long", async () => {
  const [chunk] = await getChunks(readPieces("x".repeat(100_000), 100));
  expect(chunk?.bytes.length).toBeLessThan(100);
  expect(chunk?.endOffset).toBe(100_000);
});

test("the complete lines before a source error are yielded as a chunk", async () => {
  const chunks: LineChunk[] = [];
  const broken = lineChunks(readPieces("one\ntwo\nthr", 5, new Error("broken")), 0, bounds);
  await expect(
    (async () => {
      for await (const chunk of broken) chunks.push(chunk);
    })(),
  ).rejects.toThrow("broken");
  expect(chunks.map(linesIn)).toEqual([["one", "two"]]);
  expect(chunks[0]?.endOffset).toBe(8);
});

test("an empty source has no chunks", async () => {
  expect(await getChunks(readPieces("", 5))).toEqual([]);
});
