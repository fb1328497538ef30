import { dependent, type Expression, standalone } from "./expression.ts";

/** X's maximum radius, 25 miles. */
const maxKm = 40.2;

export type Circle = { lat: number; lon: number; radiusKm: number };

/** X refuses large circles and those near a pole. */
export function circleTerm({ lat, lon, radiusKm }: Circle): Expression {
  // X's distance formula differs.
  const radius = Math.ceil((radiusKm * 1.02 + 0.1) * 10) / 10;
  const isSupported = radius <= maxKm && Math.abs(lat) <= 89;
  if (!isSupported) return dependent("has:geo");
  return standalone(`point_radius:[${degrees(lon)} ${degrees(lat)} ${radius}km]`);
}

const degrees = (value: number): string => String(Number(value.toFixed(6)));
