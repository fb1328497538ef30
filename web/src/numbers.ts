import { once } from "../../src/lib/once.ts";

// Formats are created on first use, because creation takes milliseconds.
const wholeFormat = once(() => new Intl.NumberFormat("en", { maximumFractionDigits: 0 }));
const roughFormat = once(() => new Intl.NumberFormat("en", { maximumSignificantDigits: 2 }));
const shortFormat = once(() => new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }));

/** Such as "48,210". */
export function wholeNumber(value: number): string {
  return wholeFormat().format(value);
}

export type Figure = { value: string; unit: string };

/** Three digits and a unit, such as 38.2 "M"; whole below a million. */
export function shortNumber(value: number): Figure {
  if (value < 1_000_000) return { value: wholeNumber(value), unit: "" };
  return scaleToUnit(value, 1_000, ["", "k", "M", "G", "T"]);
}

/** Such as "1.5k". */
export function axisNumber(value: number): string {
  const { value: digits, unit } = scaleToUnit(value, 1_000, ["", "k", "M", "G", "T"]);
  return `${digits}${unit}`;
}

/** In powers of a thousand, such as 14.6 "GB". */
export function bytesFigure(bytes: number): Figure {
  return scaleToUnit(bytes, 1_000, ["B", "kB", "MB", "GB", "TB", "PB"]);
}

export function bytesText(bytes: number): string {
  return figureText(bytesFigure(bytes));
}

/** Such as 0.21 "%"; 0 if `total` is 0. */
export function percentFigure(part: number, total: number): Figure {
  return { value: total === 0 ? "0" : roughFormat().format((part / total) * 100), unit: "%" };
}

/** Milliseconds to hours, with three digits. */
export function durationFigure(ms: number): Figure {
  if (ms < 1_000) return { value: shortFormat().format(Math.round(ms)), unit: "ms" };
  if (ms < 120_000) return { value: shortFormat().format(ms / 1_000), unit: "s" };
  if (ms < 7_200_000) return { value: shortFormat().format(ms / 60_000), unit: "min" };
  return { value: shortFormat().format(ms / 3_600_000), unit: "h" };
}

/** An age in whole seconds to days; future times are 0 s. */
export function ageFigure(ms: number): Figure {
  if (ms < 120_000) return { value: wholeFormat().format(Math.max(0, ms) / 1_000), unit: "s" };
  if (ms < 7_200_000) return { value: wholeFormat().format(ms / 60_000), unit: "min" };
  if (ms < 172_800_000) return { value: wholeFormat().format(ms / 3_600_000), unit: "h" };
  return { value: wholeFormat().format(ms / 86_400_000), unit: "days" };
}

/** In tenths of a second below ten seconds. */
function lagFigure(ms: number): Figure {
  if (ms < 9_950) return { value: (Math.max(0, ms) / 1_000).toFixed(1), unit: "s" };
  if (ms < 60_000) return { value: wholeFormat().format(ms / 1_000), unit: "s" };
  return durationFigure(ms);
}

export function lagText(ms: number): string {
  return figureText(lagFigure(ms));
}

export function durationText(ms: number): string {
  return figureText(durationFigure(ms));
}

/** In its two largest units, such as "5 h 29 min". */
export function spanDurationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const units = [
    [Math.floor(seconds / 86_400), seconds < 172_800 ? "day" : "days"],
    [Math.floor((seconds % 86_400) / 3_600), "h"],
    [Math.floor((seconds % 3_600) / 60), "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return "0 s";
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

const dollarFormat = once(
  () =>
    new Intl.NumberFormat("en-US", {
      style: "currency",
      currency: "USD",
      maximumFractionDigits: 4,
    }),
);

export function dollarText(usd: number): string {
  return dollarFormat().format(usd);
}

/** "1 gap", "2 gaps". */
export function quantityText(count: number, text: string, plural = `${text}s`): string {
  return `${wholeNumber(count)} ${count === 1 ? text : plural}`;
}

function scaleToUnit(value: number, base: number, units: readonly string[]): Figure {
  let index = 0;
  let scaledValue = value;
  while (scaledValue >= base && index < units.length - 1) {
    scaledValue /= base;
    index += 1;
  }
  return { value: shortFormat().format(scaledValue), unit: units[index] ?? "" };
}

const figureText = ({ value, unit }: Figure): string => (unit === "" ? value : `${value} ${unit}`);
