import { useEffect, useId, useRef } from "preact/compat";
import type {
  CredentialKindListing,
  CredentialListing,
} from "../../../../src/http/dashboard/contract/credentials.ts";
import type { ApiProblem } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Check } from "../../components/field.tsx";
import { Note } from "../../components/note.tsx";
import { ProblemNote, sentence } from "../../components/problem-note.tsx";
import { platformNames } from "../../platforms.ts";
import { AuthorizationQuestion } from "./authorization-question.tsx";
import { CredentialFields } from "./credential-fields.tsx";
import { useConnectFlow } from "./use-connect-flow.ts";

export function ConnectDialog({
  kinds,
  initialKind,
  onClose,
  onDone,
}: {
  /** All for one platform. */
  kinds: readonly CredentialKindListing[];
  initialKind: CredentialKindListing;
  onClose(): void;
  onDone(credential: CredentialListing): Promise<void>;
}) {
  const flow = useConnectFlow(initialKind, onDone);
  const { kind, question, problem, isInBrowser, isPending } = flow;
  const name = platformNames[kind.platform];
  const action = isInBrowser && question === null ? "Continue" : "Connect";
  return (
    <Dialog title={`Connect ${name}`} onClose={onClose} onSubmit={flow.submit}>
      {problem === null ? null : <Refusal problem={problem} hasEnded={flow.hasEnded} />}
      {question === null ? (
        <FirstStep kinds={kinds} flow={flow} />
      ) : (
        <AuthorizationQuestion
          key={question.id}
          question={question}
          answer={flow.answer}
          error={flow.answerError}
          onChange={flow.writeAnswer}
        />
      )}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" disabled={isPending}>
          {isPending ? `Contacting ${name}…` : action}
        </Button>
      </div>
    </Dialog>
  );
}

/** Takes the focus when the authorization has ended, because the focused step was removed. */
function Refusal({ problem, hasEnded }: { problem: ApiProblem; hasEnded: boolean }) {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (hasEnded) notice.current?.focus();
  }, [hasEnded]);
  if (!hasEnded) return <ProblemNote problem={problem} />;
  return (
    <div ref={notice} tabIndex={-1}>
      <Note tone="danger" icon="error" title="Connection failed">
        <p>
          {sentence(problem.message)} {problem.hint === null ? null : sentence(problem.hint)}
        </p>
        <p>Choose Continue to try again.</p>
      </Note>
    </div>
  );
}

function FirstStep({
  kinds,
  flow,
}: {
  kinds: readonly CredentialKindListing[];
  flow: ReturnType<typeof useConnectFlow>;
}) {
  const { kind, hasTokens, choose } = flow;
  const hasTwoMethods = kind.authorization !== null && kind.fields.length > 0;
  return (
    <>
      <KindChoice kinds={kinds} selected={kind} onChoose={(listing) => choose(listing, false)} />
      <CredentialFields
        fields={flow.fields}
        values={flow.values}
        errors={flow.errors}
        onChange={flow.write}
      />
      {hasTwoMethods ? (
        <Check
          label="I already have tokens"
          checked={hasTokens}
          onChange={(event) => choose(kind, event.currentTarget.checked)}
        />
      ) : null}
    </>
  );
}

function KindChoice({
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
      <legend>Connect with</legend>
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
