import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderCsv } from "./csv.ts";
import { pageWith } from "./test-page.ts";

function getRows(table: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  while (cell.lastIndex < table.length) {
    const [, quoted, plain = "", end] = cell.exec(table) ?? [];
    if (end === undefined) throw new Error("this is not a CSV table");
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\r\n") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

const pieces = [
  '"',
  '""',
  ",",
  "\n",
  "\r",
  "\r\n",
  "=",
  "+",
  "-",
  "@",
  "\t",
  "'",
  " ",
  "＝",
  "\0",
  "\ud800",
  "a",
  "שלום",
  "|",
  ";",
];
const hostileText = fc
  .array(fc.constantFrom(...pieces), { maxLength: 12 })
  .map((all) => all.join(""));

describe("a table", () => {
  test("a CSV table preserves every text, with formulas escaped", () => {
    fc.assert(
      fc.property(fc.array(hostileText, { maxLength: 6 }), (texts) => {
        const table = [...renderCsv(pageWith(texts, { fields: ["ID", "Content"] }))].join("");
        const [names, ...rows] = getRows(table);
        expect(names).toEqual(["ID", "Content"]);
        expect(rows).toEqual(
          texts.map((text, index) => {
            const readable = text.toWellFormed().replaceAll("\0", "\ufffd");
            const isFormula = /^[=+\-@\t\r\n＝]/.test(readable);
            return [String(index), isFormula ? `'${readable}` : readable];
          }),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test("a CSV table has a row for each post, even if its only cell is empty", () => {
    const table = [...renderCsv(pageWith(["", "a", ""], { fields: ["Content"] }))].join("");
    expect(table).toBe('Content\r\n""\r\na\r\n""\r\n');
  });

  test("a CSV table contains numbers, booleans, lists and objects as text", () => {
    const metadata = { geo: { lat: -33.8, lon: 151.2 }, is_reply: true, langs: ["-en", "de"] };
    const fields = ["Metadata.geo.lat", "Metadata.is_reply", "Metadata.langs", "Metadata.geo"];
    const table = [...renderCsv(pageWith(["a"], { fields }, metadata))].join("");
    expect(getRows(table)[1]).toEqual(["-33.8", "true", "'-en de", '{"lat":-33.8,"lon":151.2}']);
  });
});
