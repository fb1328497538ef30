import { asFields, list, string } from "../fields.ts";

const maxLabels = 100;
const labelLength = 128;

export function readSelfLabels(value: unknown): string[] {
  const labels = list(asFields(value).values, maxLabels).flatMap((item) => {
    const label = readLabelValue(asFields(item).val);
    return label === null ? [] : [label];
  });
  return [...new Set(labels)];
}

export function readLabelValue(value: unknown): string | null {
  return string(value, labelLength) || null;
}
