import {
  filterOperatorNamed,
  filterOperators,
  operatorNamed,
  valueOperators,
} from "@earshot/query";
import { platforms } from "@earshot/query/tree";
import { once } from "../../../../src/lib/once.ts";
import { platformNames } from "../../platforms.ts";
import { filterHelp, operatorHelp, propertyHelp } from "./operator-help.ts";

export type Completion = {
  /** Replaces the word. */
  text: string;
  /** Shown after the text. */
  placeholder: string;
  meaning: string;
};

/** `start` and `end` are the UTF-16 offsets of the word. */
export type Completions = { start: number; end: number; items: readonly Completion[] };

const max = 6;
const wordBefore = /(?:^|[\s(])[-+]*([a-z_]{2,}|[a-z_]+:[a-z_]*)$/i;

/**
 * Operators and values that start with the word before the caret; null if none, or inside quotes.
 */
export function completionsAt(text: string, caret: number): Completions | null {
  const before = text.slice(0, caret);
  if (!/^(?:$|[\s)])/.test(text.slice(caret)) || isWithinQuotes(before)) return null;
  const word = wordBefore.exec(before)?.[1];
  if (word === undefined) return null;
  const prefix = word.toLowerCase();
  const all = prefix.includes(":") ? valuesFor(prefix) : operatorsFor(prefix);
  const items = all.filter((item) => item.text !== prefix).slice(0, max);
  return items.length === 0 ? null : { start: caret - word.length, end: caret, items };
}

function isWithinQuotes(before: string): boolean {
  return (before.match(/(?<!\\)["“”„]/g)?.length ?? 0) % 2 === 1;
}

function operatorsFor(prefix: string): Completion[] {
  const operators = Object.entries(valueOperators).flatMap(([own, { aliases }]) => {
    const name = operatorNamed(own);
    if (name === null) return [];
    const match = [own, ...aliases].find((text) => text.startsWith(prefix));
    if (match === undefined) return [];
    const { example, meaning } = operatorHelp[name];
    return [{ text: `${match}:`, placeholder: example.slice(own.length + 1), meaning }];
  });
  const filters = filterOperators
    .filter((name) => name !== "include" && name.startsWith(prefix))
    .map((name) => ({ text: `${name}:`, placeholder: "links", meaning: filterHelp[name] }));
  return [...filters, ...operators];
}

const languages = [
  "en",
  "es",
  "ja",
  "pt",
  "de",
  "fr",
  "ar",
  "ko",
  "tr",
  "id",
  "it",
  "nl",
  "pl",
  "uk",
  "zh",
];
const languageNames = once(() => new Intl.DisplayNames("en", { type: "language" }));

function valuesFor(prefix: string): Completion[] {
  const [name = "", value = ""] = prefix.split(":");
  const choices = nameChoices(name);
  return choices
    .filter(([choice]) => choice.startsWith(value))
    .map(([choice, meaning]) => ({ text: `${name}:${choice}`, placeholder: "", meaning }));
}

function nameChoices(name: string): readonly (readonly [string, string])[] {
  const filter = filterOperatorNamed(name);
  if (filter !== null) {
    const lead = filter === "exclude" ? "None of these: " : "";
    return Object.entries(propertyHelp).map(([property, meaning]) => [property, lead + meaning]);
  }
  const operator = operatorNamed(name);
  if (operator === "platform")
    return platforms.map((platform) => [platform, platformNames[platform]]);
  if (operator === "lang") return languages.map((code) => [code, languageNames().of(code) ?? code]);
  return [];
}

/** If the term is complete, the caret follows a space. */
export function complete(
  text: string,
  { start, end }: Completions,
  item: Completion,
): { text: string; caret: number } {
  const isWhole = !item.text.endsWith(":");
  const after = text.slice(end);
  const space = isWhole && !/^[\s)]/.test(after) ? " " : "";
  const completed = text.slice(0, start) + item.text + space;
  return { text: completed + after, caret: completed.length };
}
