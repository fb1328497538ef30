import { useState } from "react";
import { Field } from "../../components/field.tsx";
import { useAsking } from "../../components/use-asking.ts";
import type { AccountAct } from "./account-panel.tsx";
import { ActDialog } from "./act-dialog.tsx";
import { rateFault, rateOf } from "./rates.ts";

export function LimitsDialog({ account, onClose, onChange }: AccountAct) {
  const asked = useAsking();
  const { requests_per_second: wasRequests, submissions_per_minute: wasSearches } = account.limits;
  const [requests, setRequests] = useState(wasRequests === null ? "" : String(wasRequests));
  const [searches, setSearches] = useState(wasSearches === null ? "" : String(wasSearches));
  const save = () => {
    if (rateFault(requests) !== null || rateFault(searches) !== null) return;
    void asked.run(async () => {
      await onChange({
        requests_per_second: rateOf(requests),
        submissions_per_minute: rateOf(searches),
      });
      onClose();
    });
  };
  return (
    <ActDialog
      title={
        <>
          Limits of <bdi>{account.name}</bdi>
        </>
      }
      action="Save limits"
      asked={asked}
      onClose={onClose}
      onSubmit={save}
    >
      <p className="soft">For each of its keys and for the dashboard, from the next request on.</p>
      <div className="field-pair">
        <Field
          label="Requests a second"
          inputMode="numeric"
          autoFocus
          value={requests}
          placeholder="the usual"
          invalid={rateFault(requests)}
          help="Empty: as set for everyone."
          onChange={(event) => setRequests(event.target.value)}
        />
        <Field
          label="Searches a minute"
          inputMode="numeric"
          value={searches}
          placeholder="the usual"
          invalid={rateFault(searches)}
          onChange={(event) => setSearches(event.target.value)}
        />
      </div>
    </ActDialog>
  );
}
