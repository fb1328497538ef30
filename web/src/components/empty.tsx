import "./empty.css";
import "./plot-marks.css";
import type { ReactNode } from "preact/compat";

export function Empty({
  title,
  text,
  children,
}: {
  title: string;
  text: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      <EmptyDrawing />
      <h2>{title}</h2>
      <p>{text}</p>
      {children === undefined ? null : <div className="row">{children}</div>}
    </div>
  );
}

function EmptyDrawing() {
  return (
    <svg viewBox="0 0 112 40" aria-hidden="true">
      <path className="p-trace" d="M4 15v10M12 11v18M20 16v8" />
      <path className="p-none" d="M28 20H84" />
      <path className="p-trace" d="M92 16v8M100 11v18M108 15v10" />
    </svg>
  );
}
