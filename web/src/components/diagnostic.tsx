import "./diagnostic.css";
import type { ReactNode } from "preact/compat";
import { Button } from "./button.tsx";
import { Icon } from "./icons.tsx";
import { sentence } from "./problem-note.tsx";

export function DiagnosticNote({
  level,
  message,
  hint,
  excerpt,
  fix,
  children,
}: {
  level: "warning" | "error";
  message: string;
  hint: string | null;
  /** Null also hides the children. */
  excerpt: { line: string; carets: string } | null;
  fix: { label: string; apply(): void } | null;
  children?: ReactNode;
}) {
  return (
    <div className="diagnostic" data-level={level}>
      <Icon name={level === "error" ? "error" : "info"} />
      <p>
        <b>{sentence(message)}</b> {hint === null ? null : sentence(hint)}
      </p>
      {fix === null ? null : (
        <Button size="small" onClick={fix.apply}>
          {fix.label}
        </Button>
      )}
      {excerpt === null ? null : (
        <pre tabIndex={0} aria-label="Position in the query" role="region">
          {excerpt.line}
          {"\n"}
          <span className="caret">{excerpt.carets}</span>
        </pre>
      )}
      {excerpt === null ? null : children}
    </div>
  );
}
