import "./code.css";
import type { ReactNode } from "preact/compat";

/** Scrolls sideways, also by keyboard. */
export function Code({ label, children }: { label: string; children: ReactNode }) {
  return (
    <pre className="code" role="region" tabIndex={0} aria-label={label}>
      {children}
    </pre>
  );
}
