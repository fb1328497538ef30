import { expect, test } from "vitest";
import type { Position } from "../../archive/archive.ts";
import type { AnswerItem, FetchedItem, SourceAnswer } from "../../platforms/source.ts";
import { withRecords } from "./answer-records.ts";

const archivedPosition = (id: bigint): Position => ({ platform: "bluesky", id });
const formatRecord = (id: bigint): string =>
  JSON.stringify({
    ID: String(id),
    Content: "a comet",
    Metadata: { platform: "bluesky", uri: `at://did:plc:a/post/${id}`, user_id: "did:plc:a" },
    Score: 1,
  });

const fetchedItem = (uri: string, record = `{"ID":"${uri}"}`): FetchedItem => ({
  platform: "mastodon",
  id: null,
  uri,
  userId: null,
  record,
});

const itemsAnswer = (items: readonly AnswerItem[]): SourceAnswer => ({
  items,
  next: null,
  complete: true,
  coverage: { fromMs: null, toMs: 1, complete: true, gaps: [] },
  sources: [],
  warnings: [],
});

function archive({ deleted = [], hidden = [] }: { deleted?: bigint[]; hidden?: string[] }) {
  return {
    records: async (positions: readonly Position[]) => ({
      records: positions
        .filter(({ id }) => !deleted.includes(id))
        .map(({ id }) => formatRecord(id)),
      damage: [],
    }),
    withheld: async (names: readonly { uri: string | null }[]) =>
      names.map(({ uri }) => uri !== null && hidden.includes(uri)),
  };
}

test("archived items get their record, uri and author, in unchanged order", async () => {
  const answer = await withRecords(
    archive({}),
    itemsAnswer([archivedPosition(3n), fetchedItem("two"), archivedPosition(1n)]),
  );
  expect(answer.items).toEqual([
    {
      platform: "bluesky",
      id: 3n,
      uri: "at://did:plc:a/post/3",
      userId: "did:plc:a",
      record: formatRecord(3n),
    },
    fetchedItem("two"),
    {
      platform: "bluesky",
      id: 1n,
      uri: "at://did:plc:a/post/1",
      userId: "did:plc:a",
      record: formatRecord(1n),
    },
  ]);
});

test("archived and fetched items are dropped if they have been deleted or hidden since the search", async () => {
  const items = [
    archivedPosition(4n),
    archivedPosition(3n),
    fetchedItem("a"),
    fetchedItem("b"),
    fetchedItem("c"),
    fetchedItem("b"),
  ];
  const answer = await withRecords(archive({ deleted: [3n], hidden: ["b"] }), itemsAnswer(items));
  expect(answer.items.map(({ uri }) => uri)).toEqual(["at://did:plc:a/post/4", "a", "c"]);
});

test("an empty answer without records is accepted", async () => {
  expect((await withRecords(archive({}), itemsAnswer([]))).items).toEqual([]);
});
