import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { csvFormat } from "./csv.ts";
import { createImportFolder, type ImportFolder } from "./import-folder.test-support.ts";

let folder: ImportFolder;
beforeEach(() => {
  folder = createImportFolder();
});
afterEach(() => folder.remove());

const options = { platform: "x", columns: new Map(), author: null } as const;
const format = csvFormat(options);
const runImport = (content: string | Buffer, usedFormat = format) =>
  folder.import(folder.file("posts.csv", content), "x", usedFormat);

describe("a CSV import", () => {
  test("a CSV import maps columns by the header, with every kind of value", async () => {
    const header =
      "id,author,created_at,text,likes,sensitive,hashtags,urls,media,lat,lon,followers,is_repost";
    const row = [
      "20",
      "ann",
      "2015-02-24 11:35:52 -0800",
      '"two\nlines, ""quoted"""',
      "12.0",
      "False",
      '"#one, two"',
      "https://a.example/1 https://a.example/2",
      '"[{""type"":""photo"",""alt"":""A pier""}]"',
      "62.1",
      "-7.4",
      "99",
      "",
    ].join(",");
    const { imported, ignoredFields } = await runImport(`\uFEFF${header}\r\n${row}\r\n\r\n`);
    expect(folder.rejections).toEqual([]);
    expect(imported).toBe(1);
    expect([...ignoredFields]).toEqual([["followers", 1]]);
    expect(folder.posts()).toMatchObject([
      {
        nativeId: 20n,
        username: "ann",
        createdMs: Date.UTC(2015, 1, 24, 19, 35, 52),
        text: 'two\nlines, "quoted"',
        counts: { likes: 12 },
        sensitive: false,
        isRepost: false,
        hashtags: ["one", "two"],
        urls: ["https://a.example/1", "https://a.example/2"],
        media: [{ type: "photo", url: null, alt: "A pier" }],
        geo: { lat: 62.1, lon: -7.4 },
      },
    ]);
  });

  test.each([
    ["1424806552", 1_424_806_552_000],
    ["1424806552123", 1_424_806_552_123],
    ["2015-02-24 19:35:52 UTC", 1_424_806_552_000],
    ["2015-02-24 19:35:52+00:00", 1_424_806_552_000],
    ["2015-02-24", Date.UTC(2015, 1, 24)],
  ])("a CSV import accepts the time %s", async (written, createdMs) => {
    await runImport(`author,created_at,text\nann,${written},a\n`);
    expect(folder.posts()).toMatchObject([{ createdMs }]);
  });

  test("a CSV import uses a column map and one author, with semicolons or tabs", async () => {
    const columns = new Map([
      ["text", "Body"],
      ["created_at", "When"],
    ] as const);
    const customFormat = csvFormat({ ...options, columns, author: "ann" });
    await runImport("When;Body;text\n2015-02-24;one, two;other\n", customFormat);
    await runImport("Body\tWhen\nthree\t2015-02-25\n", customFormat);
    expect(folder.posts().map(({ username, text }) => `${username}: ${text}`)).toEqual([
      "ann: one, two",
      "ann: three",
    ]);
  });

  test("a CSV import with other columns is a separate import of the same file", async () => {
    const file = folder.file("posts.csv", "author,created_at,text,long\nann,2015-02-24,a,b\n");
    await folder.import(file, "x", format);
    expect(await folder.import(file, "x", format)).toMatchObject({ alreadyImported: true });
    const customFormat = csvFormat({ ...options, columns: new Map([["text", "long"]] as const) });
    expect(await folder.import(file, "x", customFormat)).toMatchObject({ imported: 1 });
  });

  test("a CSV import rejects a missing column before reading any record", async () => {
    await expect(runImport("author,when,text\nann,2015,a\n")).rejects.toMatchObject({
      code: "import_unreadable",
      message: expect.stringContaining(
        "no column for created_at; its first line has author, when, text",
      ),
      hint: expect.stringContaining("--columns"),
    });
    const customFormat = csvFormat({ ...options, columns: new Map([["text", "Body"]] as const) });
    await expect(runImport("author,created_at,text\n", customFormat)).rejects.toMatchObject({
      message: expect.stringContaining('no column "Body"'),
    });
  });

  test("a CSV import writes bad records with their header, so that they can be repaired and imported", async () => {
    const badLines = [
      "ann,soon,b,1",
      "ann,2015-02-24,c",
      "ann,2015-02-24,d,many",
      'ann,2015-02-24,"e"x,1',
    ];
    const header = "author,created_at,text,likes";
    const content = `${header}\nann,2015-02-24,"a\na",1\n${badLines.join("\n")}\n`;
    const binary = Buffer.concat([
      Buffer.from(content),
      Buffer.from([0x61, 0xff]),
      Buffer.from("\n"),
    ]);
    expect(await runImport(binary)).toMatchObject({ imported: 1, rejected: 5 });
    expect(folder.rejections).toEqual([
      '4: created_at: expected a time in ISO 8601, such as 2015-02-24T19:35:52Z, found "soon"',
      "5: expected 4 fields, found 3",
      '6: likes: expected a whole number of 0 or more, found "many"',
      '7: field 3: expected "," after its closing quote',
      "8: not valid UTF-8",
    ]);
    const rejected = folder.rejected(folder.file("posts.csv", ""));
    expect(rejected.startsWith(`${header}\n${badLines.join("\n")}\n`)).toBe(true);
    expect(await runImport(rejected.replace("soon", "2015-02-24"))).toMatchObject({ imported: 1 });
  });
});
