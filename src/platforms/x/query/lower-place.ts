import { dependent, type Expression, standalone } from "./expression.ts";

/** The largest circle that X takes, 25 miles. */
const mostKm = 40.2;

export type Circle = { lat: number; lon: number; radiusKm: number };

/** Posts written within a circle; a larger one than X takes, or one that runs around a pole, asks for any place. */
export function circleTerm({ lat, lon, radiusKm }: Circle): Expression {
  // X reckons distances its own way: a little more is asked for.
  const radius = Math.ceil((radiusKm * 1.02 + 0.1) * 10) / 10;
  const isTaken = radius <= mostKm && Math.abs(lat) <= 89;
  if (!isTaken) return dependent("has:geo");
  return standalone(`point_radius:[${degrees(lon)} ${degrees(lat)} ${radius}km]`);
}

const degrees = (value: number): string => String(Number(value.toFixed(6)));
