import "./badge.css";
import type { ReactNode } from "preact/compat";
import type { Tone } from "./note.tsx";

export function Badge({ tone, children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}
