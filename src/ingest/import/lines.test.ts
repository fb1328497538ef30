import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineSplitter, type Line, maxRecordBytes } from "./lines.ts";

function listLines(pieces: readonly Buffer[], maxLineBytes = 100): Line[] {
  const splitter = createLineSplitter(maxLineBytes, { lines: 0, offset: 0 });
  const lines = pieces.flatMap((piece) => [...splitter.feed(piece)]);
  const last = splitter.end();
  return last === null ? lines : [...lines, last];
}
const texts = (lines: readonly Line[]) => lines.map(({ bytes }) => bytes.toString());

test("LF and CRLF end a line, and the last line needs no terminator", () => {
  const lines = listLines([Buffer.from("a\r\nb\n\nlast")]);
  expect(texts(lines)).toEqual(["a", "b", "", "last"]);
  expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(lines.map(({ endOffset }) => endOffset)).toEqual([3, 5, 6, 10]);
});

test("the line limit counts bytes without the terminator", () => {
  const [fits, long] = ["x".repeat(100), "x".repeat(101)];
  for (const end of ["\n", "\r\n"]) {
    const lines = listLines([Buffer.from(`${fits}${end}${long}${end}y`)]);
    expect(lines.map(({ isTooLong }) => isTooLong)).toEqual([false, true, false]);
  }
});

test("only the beginning of a 1 GB line is stored", () => {
  const splitter = createLineSplitter(1024 ** 2, { lines: 0, offset: 0 });
  const piece = Buffer.alloc(256 * 1024, "x");
  const before = process.memoryUsage().arrayBuffers;
  let max = 0;
  for (let sent = 0; sent < 1024 ** 3; sent += piece.length) {
    for (const line of splitter.feed(piece)) throw new Error(`line ${line.number} ended`);
    max = Math.max(max, process.memoryUsage().arrayBuffers - before);
  }
  const [line] = [...splitter.feed(Buffer.from("\n"))];
  expect(line).toMatchObject({ isTooLong: true, number: 1, endOffset: 1024 ** 3 + 1 });
  expect(line?.bytes).toHaveLength(maxRecordBytes);
  expect(max).toBeLessThan(64 * 1024 ** 2);
});

test("a file read in pieces of any size yields the same lines", () => {
  const text = fc.array(fc.constantFrom("a", "é", "\n", "\r\n", "\r", "xxxxxxxxxxxxxxxxxxxxxxx"));
  fc.assert(
    fc.property(text, fc.array(fc.nat(12)), (parts, cuts) => {
      const bytes = Buffer.from(parts.join(""));
      const pieces: Buffer[] = [];
      let start = 0;
      for (const cut of cuts) {
        pieces.push(bytes.subarray(start, start + cut));
        start += cut;
      }
      pieces.push(bytes.subarray(start));
      expect(listLines(pieces, 40)).toEqual(listLines([bytes], 40));
    }),
  );
});
