import type { SourceCost, SourcePart } from "../../platforms/source.ts";
import type { OpenSession } from "../../upstream/requests/sessions.ts";
import { toAccessMethod } from "../context.ts";

export type PartSpan = Pick<SourcePart, "platform" | "fromMs" | "toMs">;

export function makeSourcePart(session: OpenSession, span: PartSpan, count: number): SourcePart {
  const cost = session.cost();
  return {
    ...span,
    via: toAccessMethod(session.access),
    count,
    ...(cost === null ? {} : { cost }),
  };
}

/** Parts without items, which report what failed sessions cost. */
export function billedParts(sessions: readonly OpenSession[], span: PartSpan): SourcePart[] {
  return sessions
    .map((session) => makeSourcePart(session, span, 0))
    .filter(({ cost }) => cost !== undefined && isBilled(cost));
}

const isBilled = ({ postReads, userReads, requests, microUsd }: SourceCost): boolean =>
  [postReads, userReads, requests, microUsd].some((amount = 0) => amount > 0);
