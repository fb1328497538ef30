export { distanceKm, gridCell, gridCellsInCircle } from "./geo.ts";
export { matches, type Subject } from "./matcher.ts";
