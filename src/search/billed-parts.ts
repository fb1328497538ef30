import type { SourceCost, SourcePart } from "../platforms/source.ts";
import type { OpenSession } from "../upstream/requests/sessions.ts";
import { accessMethodOf } from "./context.ts";

/** What a part of an answer is of. */
export type PartSpan = Pick<SourcePart, "platform" | "fromMs" | "toMs">;

/** The part of an answer that was come by in a session, with what it cost. */
export function partBy(session: OpenSession, span: PartSpan, count: number): SourcePart {
  const cost = session.cost();
  return {
    ...span,
    via: accessMethodOf(session.access),
    count,
    ...(cost === null ? {} : { cost }),
  };
}

/**
 * Of sessions by which nothing came about, those that were billed all the same: a part of the answer each, without items, as
 * what was spent belongs to it.
 */
export function billedParts(sessions: readonly OpenSession[], span: PartSpan): SourcePart[] {
  return sessions
    .map((session) => partBy(session, span, 0))
    .filter(({ cost }) => cost !== undefined && isBilled(cost));
}

const isBilled = ({ postReads, userReads, requests, microUsd }: SourceCost): boolean =>
  [postReads, userReads, requests, microUsd].some((amount = 0) => amount > 0);
