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
  const [choice, setChoice] = useState({ index: 0, isExplicit: false });
  const nextCaret = useRef<number | null>(null);
  const openCompletions = isEnabled ? completionsAt(query, caret) : null;

  useLayoutEffect(() => {
    if (nextCaret.current === null || field.current === null) return;
    field.current.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  });

  const accept = (item: Completion) => {
    if (openCompletions === null) return;
    const completed = complete(query, openCompletions, item);
    nextCaret.current = completed.caret;
    setCaret(completed.caret);
    setChoice({ index: 0, isExplicit: false });
    setEnabled(item.text.endsWith(":"));
    onText(completed.text);
  };
  const last = (openCompletions?.items.length ?? 1) - 1;
  const selectedIndex = Math.min(choice.index, last);
  const press = (event: KeyboardEvent<HTMLElement>): boolean => {
    if (openCompletions === null) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = openCompletions.items[selectedIndex];
    if (step !== undefined) {
      setChoice({ index: (selectedIndex + step + last + 1) % (last + 1), isExplicit: true });
    } else if (event.key === "Escape") {
      setEnabled(false);
    } else if (
      item !== undefined &&
      ((event.key === "Tab" && !event.shiftKey) ||
        (event.key === "Enter" && choice.isExplicit && !event.ctrlKey && !event.metaKey))
    ) {
      accept(item);
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  };
  return {
    open: openCompletions,
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
      setChoice({ index: 0, isExplicit: false });
    },
  };
}
