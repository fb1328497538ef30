import { fieldsOf, list, string } from "../fields.ts";

/** Far above what the network's own apps write: it bounds the work that one record can make. */
const mostLabels = 100;
const labelLength = 128;

/** The labels that a record gives itself, each once; none of what is not in the form of the network's self-labels. */
export function readSelfLabels(value: unknown): string[] {
  const found = list(fieldsOf(value).values, mostLabels).flatMap((item) => {
    const label = readLabelValue(fieldsOf(item).val);
    return label === null ? [] : [label];
  });
  return [...new Set(found)];
}

/** A label's value; null for what is none. */
export function readLabelValue(value: unknown): string | null {
  return string(value, labelLength) || null;
}
