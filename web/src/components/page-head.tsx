import "./page-head.css";
import { type ReactNode, useEffect } from "preact/compat";

/** Call this after the focused element was removed. */
export function focusPageHead(): void {
  document.querySelector<HTMLElement>(".page-head h1")?.focus();
}

export function PageHead({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Earshot`;
  }, [title]);
  return (
    <header className="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {children === undefined ? null : <p>{children}</p>}
      </div>
      {actions === undefined ? null : (
        <div className="row" data-actions="">
          {actions}
        </div>
      )}
    </header>
  );
}
