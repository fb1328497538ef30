import { type RefObject, useEffect } from "preact/compat";
import { areSingleKeysOn, isTyping } from "../../single-keys.ts";
import { useRowKeys } from "../../use-row-keys.ts";

/** j and k move between posts, Enter opens the metadata, o the original. */
export function usePostKeys(list: RefObject<HTMLElement | null>): void {
  useRowKeys(list, ".post");
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(target) || !areSingleKeysOn() || !(target instanceof HTMLElement)) return;
      const post = target.closest<HTMLElement>(".post");
      if (post === null || !list.current?.contains(post)) return;
      if (key === "Enter" && post === target) post.querySelector("summary")?.click();
      else if (key === "o") post.querySelector<HTMLElement>(".original")?.click();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [list]);
}
