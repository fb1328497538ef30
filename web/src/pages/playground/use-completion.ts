import {
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from "preact/compat";
import { type Completion, complete, completionsAt } from "./completions.ts";

/** Completion of the word before the caret, and its keys. */
export function useCompletion(
  query: string,
  field: RefObject<HTMLTextAreaElement | null>,
  onText: (text: string) => void,
) {
  const [caret, setCaret] = useState(query.length);
  const [isOn, setOn] = useState(false);
  const [choice, setChoice] = useState({ index: 0, isMeant: false });
  const nextCaret = useRef<number | null>(null);
  const open = isOn ? completionsAt(query, caret) : null;

  useLayoutEffect(() => {
    if (nextCaret.current === null || field.current === null) return;
    field.current.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  });

  const take = (item: Completion) => {
    if (open === null) return;
    const completed = complete(query, open, item);
    nextCaret.current = completed.caret;
    setCaret(completed.caret);
    setChoice({ index: 0, isMeant: false });
    setOn(item.text.endsWith(":"));
    onText(completed.text);
  };
  const last = (open?.items.length ?? 1) - 1;
  const chosen = Math.min(choice.index, last);
  const press = (event: KeyboardEvent<HTMLElement>): boolean => {
    if (open === null) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = open.items[chosen];
    if (step !== undefined) {
      setChoice({ index: (chosen + step + last + 1) % (last + 1), isMeant: true });
    } else if (event.key === "Escape") {
      setOn(false);
    } else if (
      item !== undefined &&
      ((event.key === "Tab" && !event.shiftKey) ||
        (event.key === "Enter" && choice.isMeant && !event.ctrlKey && !event.metaKey))
    ) {
      take(item);
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  };
  return {
    open,
    chosen,
    caret,
    take,
    press,
    close: () => setOn(false),
    /** Opens suggestions only after typing. */
    moved: ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement) => {
      setCaret(selectionStart === selectionEnd ? selectionEnd : -1);
      if (value === query) {
        if (selectionEnd !== caret) setOn(false);
        return;
      }
      setOn(true);
      setChoice({ index: 0, isMeant: false });
    },
  };
}
