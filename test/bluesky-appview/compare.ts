import type { ApiRecord, ExpectedRecord } from "./expected.ts";

/** Missing, extra and repeated records, and differing fields. */
export function differences(
  found: readonly ApiRecord[],
  expected: readonly ExpectedRecord[],
): readonly string[] {
  const lines: string[] = [];
  const byKey = Map.groupBy(found, getKey);
  const expectedByKey = new Map(expected.map((record) => [getKey(record), record]));
  for (const [key, records] of byKey) {
    if (records.length > 1) lines.push(`found ${records.length} times: ${key}`);
    if (!expectedByKey.has(key)) lines.push(`unexpected: ${key}`);
  }
  for (const [key, record] of expectedByKey) {
    const [stored] = byKey.get(key) ?? [];
    if (stored === undefined) lines.push(`missing: ${key}`);
    else lines.push(...getDifferences(stored, record).map((line) => `${line}, of ${key}`));
  }
  return lines;
}

function getDifferences(stored: ApiRecord, expected: ExpectedRecord): string[] {
  const { ID: _id, ...fields } = comparable(stored);
  return fieldDifferences("", fields, comparable(expected));
}

function fieldDifferences(path: string, stored: unknown, expected: unknown): string[] {
  if (isObject(stored) && isObject(expected)) {
    const names = [...new Set([...Object.keys(stored), ...Object.keys(expected)])];
    return names.flatMap((name) =>
      fieldDifferences(`${path}.${name}`, stored[name], expected[name]),
    );
  }
  const [actualText, expectedText] = [JSON.stringify(stored), JSON.stringify(expected)];
  return actualText === expectedText
    ? []
    : [`${path.slice(1)} is ${actualText}, not ${expectedText}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function comparable<Compared extends ExpectedRecord>(record: Compared): Compared {
  const { labels, langs } = record.Metadata as { labels: string[]; langs?: string[] };
  const detected = langs?.length === 0 ? { lang: null, lang_detected: null } : {};
  return { ...record, Metadata: { ...record.Metadata, labels: labels.toSorted(), ...detected } };
}

const getKey = ({ Metadata }: ExpectedRecord): string => String(Metadata.uri ?? Metadata.user_id);

/** Records with the same time may be in any order. */
export function timesOutOfOrder(found: readonly ApiRecord[]): readonly string[] {
  return found.flatMap((record, index) => {
    const previous = found[index - 1];
    if (previous === undefined || recordTime(previous) >= recordTime(record)) return [];
    return [`${getKey(record)} of ${recordTime(record)} follows one of ${recordTime(previous)}`];
  });
}

const recordTime = ({ Metadata }: ApiRecord): string => String(Metadata.created_at);
