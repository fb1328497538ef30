import "./note.css";
import type { ReactNode } from "preact/compat";
import { Icon, type IconName } from "./icons.tsx";

export type Tone = "accent" | "caution" | "danger";

export function Note({
  tone,
  icon = "info",
  title,
  children,
  action,
}: {
  tone?: Tone;
  icon?: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="note" data-tone={tone} role={tone === "danger" ? "alert" : "status"}>
      <Icon name={icon} />
      <div>
        <h2>{title}</h2>
        {children}
      </div>
      {action}
    </div>
  );
}
