import { createHash } from "node:crypto";
import type { Archive, Damage } from "../../archive/archive.ts";
import type { JobResult } from "../../jobs/job.ts";
import type { ResultSignature } from "../../jobs/result-signature.ts";
import type { Clock } from "../../lib/clock.ts";
import { startSlices } from "../../lib/slices.ts";
import { serializeDictionary } from "../../lib/structured-fields.ts";
import { readRecords } from "../../search/merge/answer-records.ts";

export type SignedRecords = {
  records: readonly string[];
  body: Buffer;
  matchesSignature: boolean;
  withdrawnCount: number;
  damage: readonly Damage[];
};

export async function readSignedRecords(
  { archive, clock }: { archive: Pick<Archive, "records" | "withheld">; clock: Clock },
  { items }: JobResult,
  { fields }: ResultSignature,
): Promise<SignedRecords> {
  const { records, damage } = await readRecords(archive, items);
  const yieldIfDue = startSlices(clock);
  const hash = createHash("sha256");
  const pieces: Buffer[] = [];
  const add = (text: string) => {
    const piece = Buffer.from(text);
    hash.update(piece);
    pieces.push(piece);
  };
  add("[");
  for (const [index, record] of records.entries()) {
    add(index === 0 ? record : `,${record}`);
    await yieldIfDue();
  }
  add("]");
  const digest = serializeDictionary({ "sha-256": { value: hash.digest() } });
  return {
    records,
    body: Buffer.concat(pieces),
    matchesSignature: digest === fields["content-digest"],
    withdrawnCount: items.length - records.length,
    damage,
  };
}
