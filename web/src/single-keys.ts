import { readStored, writeStored } from "./theme.ts";

const name = "earshot-single-keys";

/** Single-key shortcuts can be turned off (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return readStored(name) !== "off";
}

export function setSingleKeys(on: boolean): void {
  writeStored(name, on ? null : "off");
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
