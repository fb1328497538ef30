import { useId } from "preact/compat";
import type { CredentialKindListing } from "../../../../src/http/dashboard/contract/credentials.ts";

export function KindChoice({
  kinds,
  selected,
  onChoose,
}: {
  kinds: readonly CredentialKindListing[];
  selected: CredentialKindListing;
  onChoose(kind: CredentialKindListing): void;
}) {
  const id = useId();
  return (
    <fieldset className="field kinds">
      <legend>How</legend>
      {kinds.map((kind) => (
        <div key={kind.kind}>
          <label className="check">
            <input
              type="radio"
              name={id}
              checked={kind === selected}
              aria-describedby={`${id}-${kind.kind}`}
              onChange={() => onChoose(kind)}
            />
            {kind.title}
          </label>
          <p id={`${id}-${kind.kind}`}>{kind.purpose}</p>
        </div>
      ))}
    </fieldset>
  );
}
