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

const maxItems = 6;
const wordBefore = /(?:^|[\s(])[-+]*([a-z_]{2,}|[a-z_]+:[a-z_]*)$/i;

/**
 * Operators and values that start with the word before the caret; null if none, or inside quotes.
 */
export function completionsAt(text: string, caret: number): Completions | null {
  const textBefore = text.slice(0, caret);
  if (!/^(?:$|[\s)])/.test(text.slice(caret)) || isWithinQuotes(textBefore)) return null;
  const word = wordBefore.exec(textBefore)?.[1];
  if (word === undefined) return null;
  const prefix = word.toLowerCase();
  const matches = prefix.includes(":") ? valuesFor(prefix) : operatorsFor(prefix);
  const items = matches.filter((item) => item.text !== prefix).slice(0, maxItems);
  return items.length === 0 ? null : { start: caret - word.length, end: caret, items };
}

function isWithinQuotes(textBefore: string): boolean {
  return (textBefore.match(/(?<!\\)["“”„]/g)?.length ?? 0) % 2 === 1;
}

function operatorsFor(prefix: string): Completion[] {
  const operators = Object.entries(valueOperators).flatMap(([primaryName, { aliases }]) => {
    const name = operatorNamed(primaryName);
    if (name === null) return [];
    const match = [primaryName, ...aliases].find((text) => text.startsWith(prefix));
    if (match === undefined) return [];
    const { example, meaning } = operatorHelp[name];
    return [{ text: `${match}:`, placeholder: example.slice(primaryName.length + 1), meaning }];
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
    const prefix = filter === "exclude" ? "None of these: " : "";
    return Object.entries(propertyHelp).map(([property, meaning]) => [property, prefix + meaning]);
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
  const isComplete = !item.text.endsWith(":");
  const textAfter = text.slice(end);
  const space = isComplete && !/^[\s)]/.test(textAfter) ? " " : "";
  const textBefore = text.slice(0, start) + item.text + space;
  return { text: textBefore + textAfter, caret: textBefore.length };
}
