import { type ReactNode, useState } from "react";
import type { KeyLimits } from "../../../../src/http/dashboard/contract.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import type { Asked } from "../../components/use-action.ts";
import { KeyFields } from "./key-fields.tsx";
import { faultsOfForm, faultsOfProblem, type KeyForm } from "./key-form.ts";

/** Shows errors at their fields, others above the buttons. */
export function KeyFormDialog({
  title,
  action,
  form,
  onChange,
  limits,
  asked,
  onClose,
  onSubmit,
}: {
  title: ReactNode;
  action: string;
  form: KeyForm;
  onChange(form: KeyForm): void;
  limits: KeyLimits;
  asked: Asked;
  onClose(): void;
  onSubmit(): Promise<void>;
}) {
  const [isSent, setSent] = useState(false);
  const own = isSent ? faultsOfForm(form, limits, Date.now()) : {};
  const told = asked.problem === null ? {} : faultsOfProblem(asked.problem);
  const isPlaced = Object.keys(told).length > 0;
  const submit = () => {
    setSent(true);
    if (Object.keys(faultsOfForm(form, limits, Date.now())).length === 0) void onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose} onSubmit={submit}>
      <KeyFields form={form} faults={{ ...told, ...own }} limits={limits} onChange={onChange} />
      {asked.problem === null || isPlaced ? null : <ProblemNote problem={asked.problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" disabled={asked.isUnderWay}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
