import type { SegmentEntry } from "../catalog/catalog.ts";
import type { FindingKind, Findings } from "./findings.ts";

export type Report = (kind: FindingKind, id: bigint | null, message: string) => void;

export function reporter(entry: SegmentEntry, findings: Findings): Report {
  const segment = `${entry.platform}/${entry.sequence}`;
  return (kind, id, message) =>
    findings.add({
      kind,
      segment,
      platform: entry.platform,
      id,
      message: `segment ${segment}: ${message}`,
    });
}

export type Locations = { ids: bigint[]; offsets: number[] };

export type IndexLocations = Map<string, Locations>;

export function termLocations(index: IndexLocations, token: string): Locations {
  const found = index.get(token);
  if (found !== undefined) return found;
  const locations = { ids: [], offsets: [] };
  index.set(token, locations);
  return locations;
}

export function addLocation(
  index: IndexLocations,
  token: string,
  id: bigint,
  offset: number,
): void {
  const { ids, offsets } = termLocations(index, token);
  ids.push(id);
  offsets.push(offset);
}

export function* reportDifferences(
  expected: IndexLocations,
  stored: IndexLocations,
  report: Report,
): Generator<number, void> {
  const missingTokens = new Map<bigint, string[]>();
  const extraTokens = new Map<bigint, string[]>();
  for (const token of new Set([...expected.keys(), ...stored.keys()])) {
    const expectedLocations = expected.get(token) ?? noLocations;
    const storedLocations = stored.get(token) ?? noLocations;
    for (const id of idsOnlyIn(expectedLocations, storedLocations))
      addToken(missingTokens, id, token);
    for (const id of idsOnlyIn(storedLocations, expectedLocations))
      addToken(extraTokens, id, token);
    yield 0;
  }
  for (const [id, tokens] of missingTokens)
    report("index_lacks", id, missingTokensText(id, tokens));
  for (const [id, tokens] of extraTokens) report("index_exceeds", id, extraTokensText(id, tokens));
}

const noLocations: Locations = { ids: [], offsets: [] };

function idsOnlyIn(locations: Locations, others: Locations): Set<bigint> {
  const otherKeys = new Set(others.ids.map((id, index) => `${id} ${others.offsets[index]}`));
  return new Set(
    locations.ids.filter((id, index) => !otherKeys.has(`${id} ${locations.offsets[index]}`)),
  );
}

function addToken(tokensById: Map<bigint, string[]>, id: bigint, token: string): void {
  const tokens = tokensById.get(id);
  if (tokens === undefined) tokensById.set(id, [token]);
  else tokens.push(token);
}

const maxShownTokens = 5;

export const missingTokensText = (id: bigint, tokens: readonly string[]): string =>
  `the index does not list post ${id} under ${listText(tokens)}`;

export const extraTokensText = (id: bigint, tokens: readonly string[]): string =>
  `the index lists post ${id} under ${listText(tokens)}, which the post does not contain`;

function listText(tokens: readonly string[]): string {
  const quotedTokens = tokens.slice(0, maxShownTokens).map((token) => JSON.stringify(token));
  const omittedCount = tokens.length - quotedTokens.length;
  return quotedTokens.join(", ") + (omittedCount > 0 ? ` and ${omittedCount} more` : "");
}
