export { cellOf, cellsOfCircle, distanceKm } from "./geo.ts";
export { matches, type Subject } from "./matcher.ts";
