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
  suffix = "",
}: {
  figure: Figure;
  suffix?: string;
}) {
  const smallText = `${unit}${suffix}`.trim();
  return (
    <>
      {value} {smallText === "" ? null : <small>{smallText}</small>}
    </>
  );
}
