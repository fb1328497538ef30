import "./query.css";
import type { ComponentProps, Ref } from "preact/compat";

export type HighlightedSpan = { text: string; start: number; look: string };

export function HighlightedText({ pieces }: { pieces: readonly HighlightedSpan[] }) {
  return pieces.map(({ text, start, look }) =>
    look === "" ? (
      text
    ) : (
      <span key={start} className={look}>
        {text}
      </span>
    ),
  );
}

/** A transparent text area over the highlighted text; both wrap lines alike. */
export function Query({
  pieces,
  field,
  ...rest
}: Omit<ComponentProps<"textarea">, "ref"> & {
  pieces: readonly HighlightedSpan[];
  field: Ref<HTMLTextAreaElement>;
}) {
  return (
    <div className="query">
      <div className="query-paint" aria-hidden="true">
        <HighlightedText pieces={pieces} />
        {/* Gives an empty last line its height. */}
        {"\u200b"}
      </div>
      <textarea
        {...rest}
        ref={field}
        className="query-input"
        spellcheck={false}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        rows={2}
      />
    </div>
  );
}
