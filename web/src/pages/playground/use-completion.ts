import {
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from "preact/compat";
import { type Completion, complete, completionsAt } from "./completions.ts";

export function useCompletion(
  query: string,
  field: RefObject<HTMLTextAreaElement | null>,
  onText: (text: string) => void,
) {
  const [caret, setCaret] = useState(query.length);
  const [isEnabled, setEnabled] = useState(false);
  const [choice, setChoice] = useState({ index: 0, isMeant: false });
  const nextCaret = useRef<number | null>(null);
  const open = isEnabled ? completionsAt(query, caret) : null;

  useLayoutEffect(() => {
    if (nextCaret.current === null || field.current === null) return;
    field.current.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  });

  const accept = (item: Completion) => {
    if (open === null) return;
    const completed = complete(query, open, item);
    nextCaret.current = completed.caret;
    setCaret(completed.caret);
    setChoice({ index: 0, isMeant: false });
    setEnabled(item.text.endsWith(":"));
    onText(completed.text);
  };
  const last = (open?.items.length ?? 1) - 1;
  const selectedIndex = Math.min(choice.index, last);
  const press = (event: KeyboardEvent<HTMLElement>): boolean => {
    if (open === null) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = open.items[selectedIndex];
    if (step !== undefined) {
      setChoice({ index: (selectedIndex + step + last + 1) % (last + 1), isMeant: true });
    } else if (event.key === "Escape") {
      setEnabled(false);
    } else if (
      item !== undefined &&
      ((event.key === "Tab" && !event.shiftKey) ||
        (event.key === "Enter" && choice.isMeant && !event.ctrlKey && !event.metaKey))
    ) {
      accept(item);
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  };
  return {
    open,
    selectedIndex,
    caret,
    accept,
    press,
    close: () => setEnabled(false),
    /** Suggestions open only after typing. */
    onCaretMove: ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement) => {
      setCaret(selectionStart === selectionEnd ? selectionEnd : -1);
      if (value === query) {
        if (selectionEnd !== caret) setEnabled(false);
        return;
      }
      setEnabled(true);
      setChoice({ index: 0, isMeant: false });
    },
  };
}
