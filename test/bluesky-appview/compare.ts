import type { ApiRecord, Expected } from "./expected.ts";

/**
 * Where what was answered is not what it has to be: a line for each record that is missing, too much or there twice, and for each
 * field that differs. The order is compared by `inOrder`.
 */
export function differences(
  found: readonly ApiRecord[],
  expected: readonly Expected[],
): readonly string[] {
  const told: string[] = [];
  const byKey = Map.groupBy(found, keyOf);
  const due = new Map(expected.map((record) => [keyOf(record), record]));
  for (const [key, records] of byKey) {
    if (records.length > 1) told.push(`${records.length} times there: ${key}`);
    if (!due.has(key)) told.push(`not to be there: ${key}`);
  }
  for (const [key, record] of due) {
    const [held] = byKey.get(key) ?? [];
    if (held === undefined) told.push(`missing: ${key}`);
    else told.push(...differencesOf(held, record).map((line) => `${line}, of ${key}`));
  }
  return told;
}

function differencesOf(held: ApiRecord, due: Expected): string[] {
  const { ID: _id, ...shown } = comparable(held);
  return differing("", shown, comparable(due));
}

function differing(path: string, held: unknown, due: unknown): string[] {
  if (isObject(held) && isObject(due)) {
    const names = [...new Set([...Object.keys(held), ...Object.keys(due)])];
    return names.flatMap((name) => differing(`${path}.${name}`, held[name], due[name]));
  }
  const [is, ought] = [JSON.stringify(held), JSON.stringify(due)];
  return is === ought ? [] : [`${path.slice(1)} is ${is}, not ${ought}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Labels come in no order, and the language of a post that names none may have been detected. */
function comparable<Compared extends Expected>(record: Compared): Compared {
  const { labels, langs } = record.Metadata as { labels: string[]; langs?: string[] };
  const detected = langs?.length === 0 ? { lang: null, lang_detected: null } : {};
  return { ...record, Metadata: { ...record.Metadata, labels: labels.toSorted(), ...detected } };
}

/** The uri of a post, the id of an account. */
const keyOf = ({ Metadata }: Expected): string => String(Metadata.uri ?? Metadata.user_id);

/** The times of records, newest first as they should be; records of one moment may stand in any order. */
export function timesOutOfOrder(found: readonly ApiRecord[]): readonly string[] {
  return found.flatMap((record, index) => {
    const before = found[index - 1];
    if (before === undefined || timeOf(before) >= timeOf(record)) return [];
    return [`${keyOf(record)} of ${timeOf(record)} stands after one of ${timeOf(before)}`];
  });
}

const timeOf = ({ Metadata }: ApiRecord): string => String(Metadata.created_at);
