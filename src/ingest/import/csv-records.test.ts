import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CsvRecord, createCsvSplitter, csvFields, detectDelimiter } from "./csv-records.ts";

function recordsIn(
  text: string,
  delimiter: string,
  pieceBytes: number,
  maxBytes = 10_000,
): CsvRecord[] {
  const splitter = createCsvSplitter(maxBytes);
  splitter.useDelimiter(delimiter);
  const bytes = Buffer.from(text);
  const found: CsvRecord[] = [];
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
    found.push(...splitter.feed(bytes.subarray(offset, offset + pieceBytes)));
  }
  const last = splitter.end();
  return last === null ? found : [...found, last];
}

const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\t", "\n", "é", " ") });

describe("CSV", () => {
  test("CSV is parsed the same with any separator and any piece size", () => {
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1 });
    const delimiters = fc.constantFrom(",", ";", "\t");
    fc.assert(
      fc.property(rows, delimiters, fc.integer({ min: 1, max: 9 }), (written, delimiter, size) => {
        const text = stringify(written, { delimiter });
        const found = recordsIn(text, delimiter, size).map(({ bytes }) =>
          csvFields(bytes.toString("utf8"), delimiter),
        );
        expect(found).toEqual(written);
      }),
      { numRuns: 500 },
    );
  });

  test("the line where each CSV record begins is reported", () => {
    const lines = recordsIn('a,b\r\n"1\n2",x\r\ny,z', ",", 3).map(({ line }) => line);
    expect(lines).toEqual([1, 2, 4]);
  });

  test("a quote within an unquoted CSV field is an ordinary character", () => {
    const [record] = recordsIn('5" pipe,x\n', ",", 50);
    expect(csvFields(record?.bytes.toString() ?? "", ",")).toEqual(['5" pipe', "x"]);
  });

  test("an unclosed CSV quote uses no more memory than the record limit", () => {
    const [record, ...rest] = recordsIn(`"${"a\n".repeat(20_000)}`, ",", 1_000);
    expect(rest).toEqual([]);
    expect(record).toMatchObject({ isTooLong: true, line: 1 });
    expect(record?.bytes.length).toBeLessThanOrEqual(4_096);
  });

  test.each(['"a', 'x,"a""', '"a"b,c'])("CSV with %s is rejected", (text) => {
    expect(() => csvFields(text, ",")).toThrow(/expected/);
  });

  test.each([
    ["id,text", ","],
    ["id;text;a,b", ";"],
    ["id\ttext", "\t"],
    ["text", ","],
  ])("the delimiter of the CSV header %j is detected as %j", (header, delimiter) => {
    expect(detectDelimiter(header)).toBe(delimiter);
  });
});
