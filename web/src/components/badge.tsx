import "./badge.css";
import type { ReactNode } from "react";
import type { Tone } from "./note.tsx";

/** A property; states of jobs have their own drawing (state.tsx). */
export function Badge({ tone, children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}
