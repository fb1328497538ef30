import type { KeyListingResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { focusPageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { Ago } from "../../components/time.tsx";
import { useAction } from "../../components/use-action.ts";
import type { DialogCallbacks } from "./create-key-dialog.tsx";
import { forgetFreshKey } from "./fresh-key.ts";
import { findPredecessors } from "./texts.ts";

export function RevokeKeyDialog({
  current,
  all,
  onClose,
  onDone,
}: DialogCallbacks & { current: KeyListingResponse; all: readonly KeyListingResponse[] }) {
  const [before] = findPredecessors(current, all);
  const { isPending, problem, run } = useAction();
  const revoke = () =>
    run(async () => {
      await api.delete(`/dashboard/api/keys/${current.id}`);
      onClose();
      forgetFreshKey(current.id);
      await onDone();
      focusPageHead();
    });
  return (
    <Dialog
      title={
        <>
          Revoke <bdi>{current.name}</bdi>?
        </>
      }
      onClose={onClose}
      onSubmit={() => void revoke()}
    >
      <p className="soft">
        All requests with <code>{current.shown}</code> are rejected from now on. Its running jobs
        continue. This cannot be undone.
      </p>
      {before === undefined ? null : (
        <p>
          It replaced <code>{before.shown}</code>, which is still valid. Both are revoked.
        </p>
      )}
      {current.used_at === null ? (
        <p>It has never been used.</p>
      ) : (
        <p>
          It was last used <Ago at={current.used_at} />, from {current.used_from}.
        </p>
      )}
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Keep the key
        </Button>
        <Button type="submit" variant="destroy" disabled={isPending}>
          Revoke key
        </Button>
      </div>
    </Dialog>
  );
}
