import type { KeyListing } from "../../../../src/http/dashboard/contract.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { focusPageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { Ago } from "../../components/time.tsx";
import { useAction } from "../../components/use-action.ts";
import type { DialogThen } from "./create-key-dialog.tsx";
import { forgetFreshKey } from "./fresh-key.ts";
import { predecessorsOf } from "./texts.ts";

export function RevokeKeyDialog({
  held,
  all,
  onClose,
  onDone,
}: DialogThen & { held: KeyListing; all: readonly KeyListing[] }) {
  const [before] = predecessorsOf(held, all);
  const { isUnderWay, problem, run } = useAction();
  const revoke = () =>
    run(async () => {
      await api.delete(`/dashboard/api/keys/${held.id}`);
      onClose();
      forgetFreshKey(held.id);
      await onDone();
      focusPageHead();
    });
  return (
    <Dialog
      title={
        <>
          Revoke <bdi>{held.name}</bdi>?
        </>
      }
      onClose={onClose}
      onSubmit={() => void revoke()}
    >
      <p className="soft">
        All requests with <code>{held.shown}</code> are rejected from now on. Its running jobs
        continue. This cannot be undone.
      </p>
      {before === undefined ? null : (
        <p>
          It replaced <code>{before.shown}</code>, which is still valid. Both are revoked.
        </p>
      )}
      {held.used_at === null ? (
        <p>It has never been used.</p>
      ) : (
        <p>
          It was last used <Ago at={held.used_at} />, from {held.used_from}.
        </p>
      )}
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Keep the key
        </Button>
        <Button type="submit" variant="destroy" disabled={isUnderWay}>
          Revoke key
        </Button>
      </div>
    </Dialog>
  );
}
