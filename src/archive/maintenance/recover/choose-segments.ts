import { firstInMillisecond } from "../../../posts/ids.ts";
import { archiveId } from "../../catalog/archive-id.ts";
import type { Candidate, UnusedFile, UnusedReason } from "./candidates.ts";

export type ChosenSegment = Candidate & { low: bigint };

/** The key that matches the id in the data folder, or else the one with the most posts. */
export function chooseUriKey(
  candidates: readonly Candidate[],
  recordedId: string | null,
): string | null {
  const posts = new Map<string, number>();
  for (const { identity, posts: postCount } of candidates) {
    if (identity === null) continue;
    if (archiveId(identity.uriKey) === recordedId) return identity.uriKey;
    posts.set(identity.uriKey, (posts.get(identity.uriKey) ?? 0) + postCount + 1);
  }
  const [largest] = [...posts].sort(([, a], [, b]) => b - a);
  return largest?.[0] ?? null;
}

/**
 * Selects segments without common IDs. A replaced segment is omitted, unless it was written in the
 * replacing commit or later: then the replacement was never committed. If two others overlap, the
 * older one was left by a crash.
 */
export function chooseSegments(
  candidates: readonly Candidate[],
  uriKey: string | null,
): { chosen: ChosenSegment[]; unused: UnusedFile[] } {
  const unused: UnusedFile[] = [];
  const markUnused = (reason: UnusedReason) => (candidate: Candidate) => {
    const { platform, sequence } = candidate;
    unused.push({ platform, sequence, reason });
  };
  const chosen: ChosenSegment[] = [];
  for (const platformCandidates of Map.groupBy(candidates, ({ platform }) => platform).values()) {
    const archivePartition = partition(platformCandidates, (candidate) =>
      isFromArchive(candidate, uriKey),
    );
    archivePartition.mismatches.forEach(markUnused("of another archive"));
    const commitPartition = partition(
      archivePartition.matches,
      (candidate) => !isUncommitted(candidate, archivePartition.matches),
    );
    commitPartition.mismatches.forEach(markUnused("unfinished"));
    const replacementPartition = partition(
      commitPartition.matches,
      (candidate) => !isReplaced(candidate, commitPartition.matches),
    );
    replacementPartition.mismatches.forEach(markUnused("replaced"));
    const disjointSegments = withoutOverlaps(
      replacementPartition.matches.map(withLow),
      markUnused("overlapped"),
    );
    chosen.push(
      ...disjointSegments.map((segment, index) =>
        index === 0 ? { ...segment, low: 0n } : segment,
      ),
    );
  }
  return { chosen, unused };
}

function partition<Value>(values: readonly Value[], shouldKeep: (value: Value) => boolean) {
  return {
    matches: values.filter(shouldKeep),
    mismatches: values.filter((value) => !shouldKeep(value)),
  };
}

function isFromArchive(
  { identity, platform, sequence }: Candidate,
  uriKey: string | null,
): boolean {
  if (identity === null) return true;
  return (
    identity.uriKey === uriKey && identity.platform === platform && identity.sequence === sequence
  );
}

const lastWrittenInCommit = ({ identity }: Candidate): number => identity?.lastWrittenInCommit ?? 0;

function isUncommitted({ identity }: Candidate, others: readonly Candidate[]): boolean {
  if (identity === null || identity.replaces === null) return false;
  const replaced = others.find(({ sequence }) => sequence === identity.replaces);
  return replaced !== undefined && lastWrittenInCommit(replaced) >= identity.createdInCommit;
}

const isReplaced = ({ sequence }: Candidate, others: readonly Candidate[]): boolean =>
  others.some(({ identity }) => identity?.replaces === sequence);

/** A segment that took over the IDs of another may contain late posts below its recorded start. */
function withLow(candidate: Candidate): ChosenSegment {
  const { identity, minId } = candidate;
  const first = minId === null ? null : firstInMillisecond(minId);
  const low = identity?.low ?? first ?? 0n;
  return { ...candidate, low: first !== null && first < low ? first : low };
}

function withoutOverlaps(
  segments: readonly ChosenSegment[],
  onOverlap: (segment: ChosenSegment) => void,
): ChosenSegment[] {
  const sorted = segments.toSorted((a, b) => (a.low < b.low ? -1 : a.low > b.low ? 1 : 0));
  const disjointSegments: ChosenSegment[] = [];
  for (const next of sorted) {
    let isChosen = true;
    for (
      let last = disjointSegments.at(-1);
      last !== undefined && overlap(last, next);
      last = disjointSegments.at(-1)
    ) {
      if (!isOlder(last, next)) {
        isChosen = false;
        break;
      }
      disjointSegments.pop();
      onOverlap(last);
    }
    if (isChosen) disjointSegments.push(next);
    else onOverlap(next);
  }
  return disjointSegments;
}

const overlap = (a: ChosenSegment, b: ChosenSegment): boolean =>
  a.low === b.low || (a.maxId !== null && a.maxId >= b.low);

function isOlder(a: ChosenSegment, b: ChosenSegment): boolean {
  if (lastWrittenInCommit(a) !== lastWrittenInCommit(b))
    return lastWrittenInCommit(a) < lastWrittenInCommit(b);
  return a.posts < b.posts;
}
