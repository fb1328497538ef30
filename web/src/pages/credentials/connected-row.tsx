import { useState } from "preact/compat";
import type {
  CredentialListing,
  CredentialTest,
} from "../../../../src/http/dashboard/contract/credentials.ts";
import { api } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icons.tsx";
import { PlatformMark } from "../../components/platform-mark.tsx";
import { ProblemNote, sentence } from "../../components/problem-note.tsx";
import { Ago } from "../../components/time.tsx";
import { useAction } from "../../components/use-action.ts";
import { credentialSubject, stateBadges } from "./texts.ts";

export function ConnectedRow({
  credential,
  title,
  onRefresh,
  onConnectAgain,
  onDisconnect,
}: {
  credential: CredentialListing;
  title: string;
  onRefresh(): Promise<void>;
  onConnectAgain(): void;
  onDisconnect(): void;
}) {
  const { id, platform, state, hint } = credential;
  const { word, tone, icon } = stateBadges[state];
  const [testResult, setTestResult] = useState<CredentialTest | null>(null);
  const testAction = useAction();
  const test = () =>
    testAction.run(async () => {
      setTestResult(null);
      setTestResult(await api.post<CredentialTest>(`/dashboard/api/credentials/${id}/test`));
      await onRefresh();
    });
  const label = `${title}, ${credentialSubject(credential)}`;
  return (
    <li>
      <PlatformMark platform={platform} />
      <div className="grow">
        <h3>{title}</h3>
        <p>
          {credentialSubject(credential)}, secret <code>{hint}…</code>
        </p>
        <State credential={credential} />
        <div role="status">
          {testResult === null ? null : <TestOutcome testResult={testResult} />}
          {testAction.isPending ? <p>Contacting the platform…</p> : null}
        </div>
        {testAction.problem === null ? null : <ProblemNote problem={testAction.problem} />}
      </div>
      <Badge tone={tone}>
        <Icon name={icon} />
        {word}
      </Badge>
      <div className="row">
        {state === "quarantined" ? (
          <Button size="small" aria-label={`Connect again: ${label}`} onClick={onConnectAgain}>
            Connect again
          </Button>
        ) : null}
        <Button
          size="small"
          aria-label={`Test: ${label}`}
          disabled={testAction.isPending}
          onClick={() => void test()}
        >
          Test
        </Button>
        <Button
          variant="danger"
          size="small"
          aria-label={`Disconnect: ${label}`}
          onClick={onDisconnect}
        >
          Disconnect
        </Button>
      </div>
    </li>
  );
}

function State({ credential }: { credential: CredentialListing }) {
  const { state, reason, until, used_at: usedAt, created_at: createdAt } = credential;
  if (state === "quarantined") {
    return (
      <p>
        {sentence(reason ?? "the platform rejects it")} It will not be used until it works again:
        test it, or connect it again.
      </p>
    );
  }
  if (state === "cooling" && until !== null) {
    return (
      <p>
        A platform rate limit is used up and resets <Ago at={until} />. Searches use other
        credentials first, or wait.
      </p>
    );
  }
  return (
    <p>
      Connected <Ago at={createdAt} />,{" "}
      {usedAt === null ? (
        "not used yet."
      ) : (
        <>
          last used <Ago at={usedAt} />.
        </>
      )}
    </p>
  );
}

const TestOutcome = ({ testResult: { works, message } }: { testResult: CredentialTest }) => (
  <p>
    <strong>{works ? "It works." : "It does not work."}</strong> {sentence(message)}
  </p>
);
