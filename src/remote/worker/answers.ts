import type { Archive } from "../../archive/archive.ts";
import type { EvidenceKind, SignedFields } from "../../jobs/result-signature.ts";
import { EarshotError } from "../../lib/errors.ts";
import {
  type AnswerRequest,
  type FetchedItem,
  isArchived,
  isFetched,
  type SourceAnswer,
} from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";
import { withDamage } from "../../search/damage.ts";
import { recordsOf } from "../../search/fill-in.ts";
import { bodyOf } from "../protocol/answer.ts";
import { createRecordCheck, createYield } from "../protocol/check-answer.ts";
import { readRecord } from "../protocol/read-record.ts";
import { signResult } from "../protocol/signed-result.ts";
import { knowledgeText } from "../protocol/texts.ts";
import type { Attested } from "./attest.ts";
import type { GatewayClock } from "./gateway-state.ts";
import type { NodeSelf } from "./self.ts";

export type ShownAnswer = Omit<SourceAnswer, "items"> & { items: readonly FetchedItem[] };

/** Adds the records of archived items, which the gateway lacks. Omits posts deleted or hidden meanwhile. */
export async function withRecords(
  archive: Pick<Archive, "records" | "withheld">,
  answer: SourceAnswer,
): Promise<ShownAnswer> {
  const fetched = answer.items.filter(isFetched);
  const [archived, upstream] = await Promise.all([
    recordsOf(archive, answer.items.filter(isArchived)),
    recordsOf(archive, fetched),
  ]);
  const archivedItems = new Map(
    archived.records.map(itemOf).map((item) => [nameOf(item), item] as const),
  );
  const shown = stillShown(fetched, upstream.records);
  const items = answer.items.flatMap((item) => {
    if (isFetched(item)) return shown.has(item) ? [item] : [];
    return archivedItems.get(nameOf(item)) ?? [];
  });
  return withDamage({ ...answer, items }, archived.damage);
}

/** Omits records that a gateway would refuse, such as posts whose counts or labels changed. */
export async function withoutMisfits(
  request: AnswerRequest,
  answer: ShownAnswer,
  onLeftOut: (check: string) => void,
): Promise<ShownAnswer> {
  const check = createRecordCheck(request);
  const yieldAfter = createYield();
  const items: FetchedItem[] = [];
  for (const item of answer.items) {
    try {
      check(readRecord(item.record));
      items.push(item);
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      onLeftOut(error.details[0]?.code ?? error.code);
    }
    await yieldAfter(item.record.length);
  }
  return { ...answer, items };
}

const nameOf = ({ platform, id }: { platform: Platform; id: bigint | null }): string =>
  `${platform} ${id}`;

type ArchivedRecord = {
  ID: string;
  Metadata: { platform: Platform; uri: string | null; user_id: string | null };
};

function itemOf(record: string): FetchedItem {
  const { ID, Metadata }: ArchivedRecord = JSON.parse(record);
  const { platform, uri, user_id: userId } = Metadata;
  return { platform, id: BigInt(ID), uri, userId, record };
}

/** In the same order: equal records are shown or hidden together. */
function stillShown(
  items: readonly FetchedItem[],
  records: readonly string[],
): ReadonlySet<FetchedItem> {
  const shown = new Set<FetchedItem>();
  for (const item of items) {
    if (records[shown.size] === item.record) shown.add(item);
  }
  return shown;
}

export type SigningContext = {
  self: Pick<NodeSelf, "keys" | "keyId">;
  evidence: EvidenceKind;
  gatewayClock: Pick<GatewayClock, "now">;
};

export type AnswerToSign = {
  uuid: string;
  request: string;
  attested: Attested;
  answer: ShownAnswer;
};

/** `body` is what the client gets. */
export function signAnswer(
  { self, evidence, gatewayClock }: SigningContext,
  { uuid: job, request, attested, answer }: AnswerToSign,
  body = bodyOf(answer.items),
): { body: string; knowledge: string; fields: SignedFields } {
  const { keys, keyId } = self;
  const { attestationId, quoteSha256 } = attested;
  const knowledge = knowledgeText(answer);
  const nowMs = gatewayClock.now();
  const signed = { body, job, request, knowledge, evidence, quoteSha256, attestationId, keyId };
  return { body, knowledge, fields: signResult({ ...signed, nowMs }, keys) };
}
