import { useState } from "preact/compat";
import { Field } from "../../components/field.tsx";
import { useAction } from "../../components/use-action.ts";
import type { AccountDialogProps } from "./account-panel.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import { parseRate, rateError } from "./rates.ts";

export function LimitsDialog({ account, onClose, onChange }: AccountDialogProps) {
  const submission = useAction();
  const { requests_per_second: currentRequests, submissions_per_minute: currentSearches } =
    account.limits;
  const [requests, setRequests] = useState(currentRequests === null ? "" : String(currentRequests));
  const [searches, setSearches] = useState(currentSearches === null ? "" : String(currentSearches));
  const save = () => {
    if (rateError(requests) !== null || rateError(searches) !== null) return;
    void submission.run(async () => {
      await onChange({
        requests_per_second: parseRate(requests),
        submissions_per_minute: parseRate(searches),
      });
      onClose();
    });
  };
  return (
    <ActionDialog
      title={
        <>
          Limits of <bdi>{account.name}</bdi>
        </>
      }
      action="Save limits"
      submission={submission}
      onClose={onClose}
      onSubmit={save}
    >
      <p className="soft">
        Applies to each of its keys and to the dashboard, from the next request.
      </p>
      <div className="field-pair">
        <Field
          label="Requests per second"
          inputMode="numeric"
          autoFocus
          value={requests}
          placeholder="default"
          error={rateError(requests)}
          help="Leave empty to use the default."
          onChange={(event) => setRequests(event.currentTarget.value)}
        />
        <Field
          label="Searches per minute"
          inputMode="numeric"
          value={searches}
          placeholder="default"
          error={rateError(searches)}
          onChange={(event) => setSearches(event.currentTarget.value)}
        />
      </div>
    </ActionDialog>
  );
}
