import type { ApiRecord, Expected } from "./expected.ts";

/** Lists missing, extra and repeated records and differing fields; `inOrder` compares the order. */
export function differences(
  found: readonly ApiRecord[],
  expected: readonly Expected[],
): readonly string[] {
  const reported: string[] = [];
  const byKey = Map.groupBy(found, keyOf);
  const due = new Map(expected.map((record) => [keyOf(record), record]));
  for (const [key, records] of byKey) {
    if (records.length > 1) reported.push(`${records.length} times there: ${key}`);
    if (!due.has(key)) reported.push(`not to be there: ${key}`);
  }
  for (const [key, record] of due) {
    const [stored] = byKey.get(key) ?? [];
    if (stored === undefined) reported.push(`missing: ${key}`);
    else reported.push(...differencesOf(stored, record).map((line) => `${line}, of ${key}`));
  }
  return reported;
}

function differencesOf(stored: ApiRecord, due: Expected): string[] {
  const { ID: _id, ...shown } = comparable(stored);
  return differing("", shown, comparable(due));
}

function differing(path: string, stored: unknown, due: unknown): string[] {
  if (isObject(stored) && isObject(due)) {
    const names = [...new Set([...Object.keys(stored), ...Object.keys(due)])];
    return names.flatMap((name) => differing(`${path}.${name}`, stored[name], due[name]));
  }
  const [is, ought] = [JSON.stringify(stored), JSON.stringify(due)];
  return is === ought ? [] : [`${path.slice(1)} is ${is}, not ${ought}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function comparable<Compared extends Expected>(record: Compared): Compared {
  const { labels, langs } = record.Metadata as { labels: string[]; langs?: string[] };
  const detected = langs?.length === 0 ? { lang: null, lang_detected: null } : {};
  return { ...record, Metadata: { ...record.Metadata, labels: labels.toSorted(), ...detected } };
}

const keyOf = ({ Metadata }: Expected): string => String(Metadata.uri ?? Metadata.user_id);

/** Records of one moment may be in any order. */
export function timesOutOfOrder(found: readonly ApiRecord[]): readonly string[] {
  return found.flatMap((record, index) => {
    const before = found[index - 1];
    if (before === undefined || timeOf(before) >= timeOf(record)) return [];
    return [`${keyOf(record)} of ${timeOf(record)} stands after one of ${timeOf(before)}`];
  });
}

const timeOf = ({ Metadata }: ApiRecord): string => String(Metadata.created_at);
