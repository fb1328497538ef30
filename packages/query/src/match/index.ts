/** The matcher: whether a post in memory satisfies a plan. */

export { cellOf, cellsOfCircle, distanceKm } from "./geo.ts";
export { matches, type Subject } from "./matcher.ts";
