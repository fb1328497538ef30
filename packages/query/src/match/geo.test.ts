import fc from "fast-check";
import { expect, test } from "vitest";
import { distanceKm, gridCell, gridCellsInCircle } from "./geo.ts";

const point = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
});

test("the distance between two points is measured on a sphere", () => {
  const london = { lat: 51.5074, lon: -0.1278 };
  const paris = { lat: 48.8566, lon: 2.3522 };
  expect(distanceKm(london, paris)).toBeCloseTo(343.6, 0);
  expect(distanceKm(london, london)).toBe(0);
  expect(distanceKm({ lat: 0, lon: 179.9 }, { lat: 0, lon: -179.9 })).toBeCloseTo(22.24, 1);
});

test("a circle spans more degrees of longitude towards the nearer pole than at its centre", () => {
  for (const sign of [1, -1]) {
    const centre = { lat: sign * 41.35, lon: 0.5 };
    const farEast = { lat: sign * 41.58, lon: 4.02 };
    expect(distanceKm(centre, farEast)).toBeLessThan(302);
    expect(gridCellsInCircle(centre.lat, centre.lon, 302)).toContain(gridCell(farEast));
  }
});

test("the cells of a circle cover every point within it", () => {
  fc.assert(
    fc.property(
      point,
      fc.double({ min: 0, max: 3_000, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
      (centre, radiusKm, fraction, bearing) => {
        const target = destination(centre, radiusKm * fraction, bearing);
        if (distanceKm(centre, target) > radiusKm) return;
        const cells = gridCellsInCircle(centre.lat, centre.lon, radiusKm);
        if (cells !== null) expect(cells).toContain(gridCell(target));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a small circle needs few cells, even across the date line, and has no list of cells at a pole", () => {
  expect(gridCellsInCircle(52.5, 13.5, 10)).toEqual(["52,13"]);
  expect(gridCellsInCircle(0.5, 179.99, 20)).toEqual(["0,179", "0,-180"]);
  expect(gridCellsInCircle(89.9, 0, 50)).toBeNull();
});

function destination(
  from: { lat: number; lon: number },
  km: number,
  bearing: number,
): { lat: number; lon: number } {
  const angle = km / 6371.0088;
  const lat = (from.lat * Math.PI) / 180;
  const sine =
    Math.sin(lat) * Math.cos(angle) + Math.cos(lat) * Math.sin(angle) * Math.cos(bearing);
  const targetLat = Math.asin(Math.max(-1, Math.min(1, sine)));
  const lonDelta = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(lat),
    Math.cos(angle) - Math.sin(lat) * Math.sin(targetLat),
  );
  const lon = from.lon + (lonDelta * 180) / Math.PI;
  return { lat: (targetLat * 180) / Math.PI, lon: ((((lon + 180) % 360) + 360) % 360) - 180 };
}
