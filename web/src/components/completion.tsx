import "./completion.css";
export type CompletionItem = { text: string; placeholder: string; meaning: string };

/** For aria-activedescendant. */
export const completionId = (list: string, index: number): string => `${list}-${index}`;

/** The focus remains in the field. */
export function CompletionList({
  id,
  items,
  typedLength,
  selectedIndex,
  onAccept,
}: {
  id: string;
  items: readonly CompletionItem[];
  /** How many characters of each item are already typed. */
  typedLength: number;
  selectedIndex: number;
  onAccept(item: CompletionItem): void;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: HTML has no element for the listbox pattern
    <ul className="completion" role="listbox" id={id} aria-label="Operators">
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and handles the keys
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
        <li
          key={item.text}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: HTML has no element for the listbox pattern
          role="option"
          id={completionId(id, index)}
          aria-selected={index === selectedIndex}
          // Keeps the focus in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onAccept(item)}
        >
          <code>
            <b>{item.text.slice(0, typedLength)}</b>
            {item.text.slice(typedLength)}
            <span className="quiet">{item.placeholder}</span>
          </code>
          <span className="soft">{item.meaning}</span>
          {index === selectedIndex ? <kbd>Tab</kbd> : null}
        </li>
      ))}
    </ul>
  );
}
