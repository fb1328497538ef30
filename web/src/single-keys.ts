import { keepStored, readStored } from "./theme.ts";

const name = "earshot-single-keys";

/** Single keys can be switched off, for who speaks to the browser or holds it otherwise (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return readStored(name) !== "off";
}

export function setSingleKeys(on: boolean): void {
  keepStored(name, on ? null : "off");
}

/** Whether a key is meant for a field. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
