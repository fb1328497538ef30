export { cellsOfCircle, distanceKm, gridCell } from "./geo.ts";
export { matches, type Subject } from "./matcher.ts";
