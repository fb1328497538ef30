import type { SalvagedSegment } from "../../archive/maintenance/rewrite-pending.ts";
import { isoText } from "../../lib/iso-time.ts";
import { numberText } from "../terminal/quantities.ts";

/** The list file contains all of them. */
const maxListed = 10;

export function salvagedText({ segment, posts, lost }: SalvagedSegment): string[] {
  const salvaged = `${segment} was damaged: ${numberText(posts)} posts salvaged`;
  const movedLine = "  the damaged file was moved to archive/orphaned";
  if (lost === null) return [`${salvaged}, none lost`, movedLine];
  const count = lost.isExact ? numberText(lost.count) : `at least ${numberText(lost.count)}`;
  const listed = lost.posts
    .slice(0, maxListed)
    .map(({ id, uri }) => (uri === null ? `  lost: post ${id}` : `  lost: post ${id}, ${uri}`));
  const unlisted = lost.posts.length - listed.length;
  return [
    `${salvaged}, ${count} lost`,
    ...listed,
    ...(unlisted > 0 ? [`  … and ${numberText(unlisted)} more`] : []),
    ...(lost.listPath === null ? [] : [`  listed in ${lost.listPath}`]),
    ...lost.spans.map((span) => `  no longer covered: ${spanText(span)}`),
    movedLine,
  ];
}

const spanText = ({ fromMs, toMs }: { fromMs: number | null; toMs: number }): string =>
  `${fromMs === null ? "the beginning" : isoText(fromMs)} to ${isoText(toMs)}`;

export const salvagedJson = ({ segment, posts, lost }: SalvagedSegment) => ({
  segment,
  posts,
  lost: lost?.count ?? 0,
  lost_is_exact: lost?.isExact ?? true,
  lost_list: lost?.listPath ?? null,
  gaps: (lost?.spans ?? []).map(({ fromMs, toMs }) => ({
    from: fromMs === null ? null : isoText(fromMs),
    to: isoText(toMs),
  })),
});
