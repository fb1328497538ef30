import "./dialog.css";
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";

/** A question in front of the page, with focus kept inside; Escape and Cancel close it. It is open while it is there. */
export function Dialog({
  title,
  onClose,
  onSubmit,
  children,
}: {
  title: ReactNode;
  onClose(): void;
  onSubmit?: () => void;
  children: ReactNode;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    const opener = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      className="dialog"
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form onSubmit={submit}>
        <h2 id={id}>{title}</h2>
        {children}
      </form>
    </dialog>
  );
}
