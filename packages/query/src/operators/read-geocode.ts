import { type Operand, operandError, truncate } from "./operand.ts";

type Circle = { lat: number; lon: number; radiusKm: number };

const expectedForms = ["latitude,longitude,radius with km or mi"];
const example = "geocode:37.7764,-122.4172,10km";
const kilometresPerMile = 1.609344;
/** Above the Earth's circumference; larger radii are typing errors. */
const maxRadiusKm = 50_000;
const minRadiusKm = 0.000001;

const decimalNumber = /^[+-]?(?:\d{1,6}(?:\.\d{0,40})?|\.\d{1,40})$/;
const radiusForm = /^([+-]?(?:\d{1,6}(?:\.\d{0,40})?|\.\d{1,40}))(km|mi)?$/i;

/** Coordinates in degrees, a radius in km or mi. */
export function readGeocode(text: string): Operand<Circle> {
  const parts = text.split(",").map((part) => part.trim());
  const [latText = "", lonText = "", radiusText = ""] = parts;
  if (parts.length !== 3 || parts.includes("")) return notThreeParts(text);
  if (!decimalNumber.test(latText) || !decimalNumber.test(lonText)) {
    return operandError(
      "invalid_geocode",
      `geocode: must be latitude and longitude as decimal degrees, not ${truncate(`${latText},${lonText}`)}`,
      expectedForms,
      `use a value such as ${example}; south and west are negative`,
    );
  }
  const radius = radiusForm.exec(radiusText);
  if (radius === null || radius[2] === undefined) {
    const hint = /^[+-]?[\d.]+$/.test(radiusText)
      ? `write ${radiusText}km or ${radiusText}mi`
      : `write the radius with its unit, as in ${example}`;
    return operandError(
      "invalid_geocode",
      `geocode: the radius must be in km or mi, not ${truncate(radiusText)}`,
      expectedForms,
      hint,
    );
  }
  const lat = Number(latText) + 0;
  const lon = Number(lonText) + 0;
  const rangeError = outsideRange(lat, lon, radiusText);
  if (rangeError !== null) return rangeError;
  const radiusKm = Number(radius[1]) * (radius[2].toLowerCase() === "mi" ? kilometresPerMile : 1);
  if (radiusKm < minRadiusKm || radiusKm > maxRadiusKm) {
    return operandError(
      "invalid_geocode",
      `geocode: the radius must be above 0 and up to ${maxRadiusKm} km, not ${truncate(radiusText)}`,
      expectedForms,
    );
  }
  return { value: { lat, lon, radiusKm } };
}

function outsideRange(lat: number, lon: number, radius: string): Operand<Circle> | null {
  if (Math.abs(lat) <= 90 && Math.abs(lon) <= 180) return null;
  const isSwapped = Math.abs(lat) > 90 && Math.abs(lat) <= 180 && Math.abs(lon) <= 90;
  const message =
    Math.abs(lat) > 90
      ? `geocode: latitude ${lat} is outside -90 to 90`
      : `geocode: longitude ${lon} is outside -180 to 180`;
  return isSwapped
    ? operandError(
        "invalid_geocode",
        message,
        expectedForms,
        `put the latitude first: geocode:${lon},${lat},${radius}`,
      )
    : operandError("invalid_geocode", message, expectedForms);
}

function notThreeParts(text: string): Operand<Circle> {
  const hint = text.endsWith(",")
    ? `remove the spaces after the commas, as in ${example}`
    : `use a value such as ${example}`;
  return operandError(
    "invalid_geocode",
    `geocode: must be latitude,longitude,radius, not ${truncate(text)}`,
    expectedForms,
    hint,
  );
}
