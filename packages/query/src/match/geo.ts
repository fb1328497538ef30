const earthRadiusKm = 6371.0088;
const defaultMaxCells = 64;

/** Haversine, with the mean radius of the WGS 84 ellipsoid. */
export function distanceKm(
  a: { lat: number; lon: number },
  b: { lat: number; lon: number },
): number {
  const latDelta = radians(b.lat - a.lat);
  const lonDelta = radians(b.lon - a.lon);
  const h =
    Math.sin(latDelta / 2) ** 2 +
    Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(lonDelta / 2) ** 2;
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** One degree square, named by its south-west corner. */
export function gridCell(point: { lat: number; lon: number }): string {
  return cellName(Math.floor(point.lat), Math.floor(point.lon));
}

/** A superset of the circle's cells; null if they exceed `maxCells`, or near a pole. */
export function gridCellsInCircle(
  lat: number,
  lon: number,
  radiusKm: number,
  maxCells = defaultMaxCells,
): string[] | null {
  const degrees = (radiusKm / earthRadiusKm) * (180 / Math.PI) + 1e-6;
  const south = Math.floor(lat - degrees);
  const north = Math.floor(lat + degrees);
  if (south <= -90 || north >= 89) return null;
  const minCosine = Math.cos(radians(Math.max(Math.abs(lat - degrees), Math.abs(lat + degrees))));
  const lonDegrees = degrees / minCosine;
  const west = Math.floor(lon - lonDegrees);
  const east = Math.floor(lon + lonDegrees);
  if ((north - south + 1) * (east - west + 1) > maxCells) return null;
  const cells = new Set<string>();
  for (let cellLat = south; cellLat <= north; cellLat++) {
    for (let cellLon = west; cellLon <= east; cellLon++) cells.add(cellName(cellLat, cellLon));
  }
  return [...cells];
}

function cellName(lat: number, lon: number): string {
  const wrappedLon = ((((lon + 180) % 360) + 360) % 360) - 180;
  return `${lat},${wrappedLon}`;
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
