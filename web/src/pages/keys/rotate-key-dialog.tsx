import { useState } from "preact/compat";
import type {
  KeyListingResponse,
  NewKeyResponse,
  RotateKeyRequest,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { LabelledSelect, type Option } from "../../components/field.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { isolateBidi } from "../../isolate-bidi.ts";
import { useSignedIn } from "../../session.tsx";
import type { DialogCallbacks } from "./create-key-dialog.tsx";
import { storeFreshKey } from "./fresh-key.ts";

type Overlap = "0" | "24" | "168";

const overlaps: readonly Option<Overlap>[] = [
  { value: "24", label: "After 24 hours" },
  { value: "168", label: "After 7 days" },
  { value: "0", label: "Immediately" },
];

export function RotateKeyDialog({
  listing,
  onClose,
  onDone,
}: DialogCallbacks & { listing: KeyListingResponse }) {
  const { account } = useSignedIn();
  const { isPending, problem, run } = useAction();
  const [overlap, setOverlap] = useState<Overlap>("24");
  const rotate = () =>
    run(async () => {
      const response = await api.post<NewKeyResponse>(`/dashboard/api/keys/${listing.id}/rotate`, {
        overlap_hours: Number(overlap),
      } satisfies RotateKeyRequest);
      onClose();
      storeFreshKey({
        ...response,
        accountId: account.id,
        title: `New key ${isolateBidi(listing.name)}: copy it now`,
        callTitle: "Example request",
      });
      await onDone();
    });
  return (
    <Dialog
      title={
        <>
          Rotate <bdi>{listing.name}</bdi>?
        </>
      }
      onClose={onClose}
      onSubmit={() => void rotate()}
    >
      <p className="soft">
        You will get a new key with the same name, methods and limits, shown once. Replace the old
        key while both are valid; they share their limits.
      </p>
      <LabelledSelect
        label="The old key expires"
        options={overlaps}
        value={overlap}
        onPick={(picked) => setOverlap(picked)}
        help={
          overlap === "0"
            ? "Requests with the old key will be rejected from then on. Choose this for a leaked key."
            : "Both keys will work until then."
        }
      />
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" disabled={isPending}>
          Rotate key
        </Button>
      </div>
    </Dialog>
  );
}
