import { type Platform, platforms } from "../tree/platform.ts";
import { nearest } from "./nearest.ts";
import { type Operand, operandError, truncated } from "./operand.ts";

const otherNames: Readonly<Record<string, Platform>> = { twitter: "x", bsky: "bluesky" };

export function readPlatform(operator: string, text: string): Operand<Platform> {
  const name = text.normalize("NFKC").toLowerCase();
  const platform = platformNamed(name);
  if (platform !== null) return { value: platform };
  const near = nearest(name, [...platforms, ...Object.keys(otherNames)]);
  return operandError(
    "unknown_platform",
    `unknown value of ${operator}: ${truncated(text)}`,
    platforms,
    near === null
      ? `write ${platforms.map((other) => `${operator}:${other}`).join(" or ")}`
      : `did you mean ${operator}:${platformNamed(near) ?? near}`,
  );
}

function platformNamed(name: string): Platform | null {
  const known = platforms.find((platform) => platform === name);
  return known ?? (Object.hasOwn(otherNames, name) ? (otherNames[name] ?? null) : null);
}
