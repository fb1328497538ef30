import "./menu.css";
import { type ReactNode, useRef } from "preact/compat";

/** Closes when an action is chosen, on Escape, or when the focus leaves. */
export function Menu({
  label,
  text = "More",
  children,
}: {
  label: string;
  text?: string;
  children: ReactNode;
}) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current !== null) menu.current.open = false;
  };
  return (
    <details
      className="menu"
      ref={menu}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) close();
      }}
      onKeyDown={({ key }) => {
        if (key !== "Escape") return;
        close();
        menu.current?.querySelector("summary")?.focus();
      }}
    >
      <summary className="button" data-variant="plain" data-size="small" aria-label={label}>
        {text}
      </summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside handle the keyboard */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key press on a button is a click */}
      <div className="menu-items" onClick={close}>
        {children}
      </div>
    </details>
  );
}
