import { type RefObject, useEffect } from "preact/compat";
import { areSingleKeysOn, isTyping } from "./single-keys.ts";

/** `j` and `k` focus the next and previous matching element under `list`. */
export function useRowKeys(list: RefObject<HTMLElement | null>, selector: string): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const offset = { j: 1, k: -1 }[event.key];
      if (offset === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || !areSingleKeysOn() || event.defaultPrevented) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const rows = [...(list.current?.querySelectorAll<HTMLElement>(selector) ?? [])];
      const index = rows.indexOf(document.activeElement as HTMLElement);
      const currentIndex = rows.findIndex((row) => row.closest("[aria-current]") !== null);
      const startIndex = index >= 0 ? index : currentIndex;
      const next =
        rows[startIndex < 0 ? 0 : Math.min(Math.max(startIndex + offset, 0), rows.length - 1)];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [list, selector]);
}
