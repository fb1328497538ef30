import "./dialog.css";
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "preact/compat";

/** Open while mounted; Escape closes it. */
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
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
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
