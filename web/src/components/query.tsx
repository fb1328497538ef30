import "./query.css";
import type { ComponentProps, Ref } from "react";

export type PaintedPiece = { text: string; start: number; look: string };

/** A query's text with its paint, as it is shown where it cannot be changed. */
export function QueryPaint({ pieces }: { pieces: readonly PaintedPiece[] }) {
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

/** A text field whose own text cannot be seen, over the same text painted: both break their lines alike. */
export function Query({
  pieces,
  field,
  ...rest
}: Omit<ComponentProps<"textarea">, "ref"> & {
  pieces: readonly PaintedPiece[];
  field: Ref<HTMLTextAreaElement>;
}) {
  return (
    <div className="query">
      <div className="query-paint" aria-hidden="true">
        <QueryPaint pieces={pieces} />
        {/* Else an empty last line would have no height. */}
        {"\u200b"}
      </div>
      <textarea
        {...rest}
        ref={field}
        className="query-input"
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        rows={2}
      />
    </div>
  );
}
