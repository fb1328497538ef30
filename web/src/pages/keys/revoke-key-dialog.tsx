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
  listing,
  allKeys,
  onClose,
  onDone,
}: DialogCallbacks & { listing: KeyListingResponse; allKeys: readonly KeyListingResponse[] }) {
  const [predecessor] = findPredecessors(listing, allKeys);
  const { isPending, problem, run } = useAction();
  const revoke = () =>
    run(async () => {
      await api.delete(`/dashboard/api/keys/${listing.id}`);
      onClose();
      forgetFreshKey(listing.id);
      await onDone();
      focusPageHead();
    });
  return (
    <Dialog
      title={
        <>
          Revoke <bdi>{listing.name}</bdi>?
        </>
      }
      onClose={onClose}
      onSubmit={() => void revoke()}
    >
      <p className="soft">
        All requests with <code>{listing.shown}</code> will be rejected from now on. Its running
        jobs will continue. This cannot be undone.
      </p>
      {predecessor === undefined ? null : (
        <p>
          It replaced <code>{predecessor.shown}</code>, which is still valid. Both will be revoked.
        </p>
      )}
      {listing.used_at === null ? (
        <p>It has never been used.</p>
      ) : (
        <p>
          It was last used <Ago at={listing.used_at} />, from {listing.used_from}.
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
