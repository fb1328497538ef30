import { type ReactNode, useEffect } from "react";

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
