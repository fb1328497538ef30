import "./page-head.css";
import { type ReactNode, useEffect } from "react";

/** Takes the focus to the head of the page, from what is there no more. */
export function focusPageHead(): void {
  document.querySelector<HTMLElement>(".page-head h1")?.focus();
}

/** What a page is, and in one sentence how things stand; its actions stand beside. */
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
