import type { Archive } from "../archive/archive.ts";
import { type AnswerItem, isHeld } from "./source.ts";

/** The records of an answer as JSON texts, in order: those of the archive as it holds them at this moment. */
export async function recordsOf(
  archive: Pick<Archive, "records">,
  items: readonly AnswerItem[],
): Promise<readonly string[]> {
  const held = items.filter(isHeld);
  if (held.length === items.length) return await archive.records(held);
  const one = await Promise.all(
    items.map(async (item) => (isHeld(item) ? await archive.records([item]) : [item.record])),
  );
  return one.flat();
}

const utf8 = new TextEncoder();

/** The same as one JSON array in UTF-8. */
export async function pageOf(
  archive: Pick<Archive, "records" | "page">,
  items: readonly AnswerItem[],
): Promise<Uint8Array> {
  const held = items.filter(isHeld);
  if (held.length === items.length) return await archive.page(held);
  return utf8.encode(`[${(await recordsOf(archive, items)).join(",")}]`);
}
