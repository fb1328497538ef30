import "./figure-box.css";
import type { ReactNode } from "preact/compat";
import type { Figure } from "../numbers.ts";

export function FigureBox({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function FigureText({
  figure: { value, unit },
  more = "",
}: {
  figure: Figure;
  more?: string;
}) {
  const after = `${unit}${more}`.trim();
  return (
    <>
      {value} {after === "" ? null : <small>{after}</small>}
    </>
  );
}
