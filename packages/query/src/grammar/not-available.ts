import { truncate } from "../operators/operand.ts";
import type { Unavailable, UnavailableName } from "../operators/operators.ts";
import { readGeocode } from "../operators/read-geocode.ts";
import { readHost } from "../operators/read-host.ts";
import type { OperatorTerm } from "./operator-node.ts";
import type { TermContext } from "./parser-state.ts";

export function reportNotAvailable(
  context: TermContext,
  operator: OperatorTerm,
  label: string,
  { reason, instead, lead = "use" }: Unavailable,
  substitute: string | null = null,
): null {
  const replacement = substitute ?? instead;
  context.report("operator_not_available", operator.span, {
    message: `${truncate(label)} is not supported: it ${reason}`,
    hint:
      replacement === null
        ? "remove it, or put it in quotes to search for its words"
        : `${lead} ${replacement}`,
  });
  return null;
}

export function substituteFor(name: UnavailableName, value: string): string | null {
  if (name === "point_radius") return parseCircle(value);
  if (name === "within" && /^\d{1,6}(?:\.\d{1,6})?(?:km|mi)$/i.test(value)) {
    return `geocode:<latitude>,<longitude>,${value}`;
  }
  if (name === "near" && value !== "" && value !== "me") {
    return `geocode:<latitude>,<longitude>,<radius> with the coordinates of ${truncate(value)}`;
  }
  if (name === "card_domain" || name === "card_url") {
    const host = readHost("domain", value);
    return "value" in host && host.warning === undefined ? `domain:${host.value}` : null;
  }
  return null;
}

/** Converts `[lon lat r]` to `geocode:`. */
function parseCircle(value: string): string | null {
  const [lon, lat, radius, ...rest] = value
    .replace(/^\[|\]$/g, "")
    .trim()
    .split(/[\s,]+/);
  if (lon === undefined || lat === undefined || radius === undefined || rest.length > 0)
    return null;
  const text = `${lat},${lon},${radius}`;
  return "value" in readGeocode(text) ? `geocode:${text}` : null;
}
