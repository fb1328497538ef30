import { readStored, writeStored } from "./theme.ts";

const storageKey = "earshot-single-keys";

/** Single-key shortcuts can be turned off (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return readStored(storageKey) !== "off";
}

export function setSingleKeys(isOn: boolean): void {
  writeStored(storageKey, isOn ? null : "off");
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
