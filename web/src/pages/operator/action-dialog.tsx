import type { ReactNode } from "preact/compat";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import type { Requested } from "../../components/use-action.ts";

export function ActDialog({
  title,
  action,
  isDestroying = false,
  requested: { isUnderWay, problem },
  onClose,
  onSubmit,
  children,
}: {
  title: ReactNode;
  action: string;
  isDestroying?: boolean;
  requested: Requested;
  onClose(): void;
  onSubmit(): void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose} onSubmit={onSubmit}>
      {children}
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant={isDestroying ? "destroy" : "primary"} disabled={isUnderWay}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
