import { useState } from "preact/compat";
import type {
  AuthorizationResponse,
  DecisionResponse,
} from "../../../../src/http/dashboard/contract/connect.ts";
import type { Method } from "../../../../src/platforms/methods.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/field.tsx";
import { Note } from "../../components/note.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { useSignedIn } from "../../session.tsx";

const permissions: Readonly<Partial<Record<Method, string>>> = {
  searchbyquery: "Search and count posts from the last 7 days",
  searchbyfullarchive: "Search and count all posts, read conversations",
  getbyid: "Read single posts",
  getprofilebyid: "Read profiles",
  gettrends: "List trends",
};

export function ConsentForm({
  authorization,
}: {
  authorization: AuthorizationResponse & { kind: "consent" };
}) {
  const { account } = useSignedIn();
  const { isPending, problem, run } = useAction();
  const [methods, setMethods] = useState(authorization.methods);
  const toggle = (method: Method) =>
    setMethods(
      authorization.methods.filter((name) => methods.includes(name) !== (name === method)),
    );
  const decide = (chosen: readonly Method[]) =>
    run(async () => {
      const { location } = await api.post<DecisionResponse>(
        "/dashboard/api/authorizations/decision",
        { ticket: authorization.ticket, methods: chosen },
      );
      window.location.assign(location);
    });
  return (
    <div className="panel">
      <form
        className="panel-body"
        onSubmit={(event) => {
          event.preventDefault();
          void decide(methods);
        }}
      >
        <div>
          <h1>
            Connect <bdi>{authorization.client_name}</bdi>?
          </h1>
          <p>
            It will use Earshot as <bdi>{account.name}</bdi>, within your account's limits.
          </p>
        </div>
        <dl className="facts">
          <div>
            <dt>Published by</dt>
            <dd>{authorization.client_host}</dd>
          </div>
          <div>
            <dt>Returns to</dt>
            <dd>
              {authorization.is_loopback
                ? `this computer (${authorization.redirect_host})`
                : authorization.redirect_host}
            </dd>
          </div>
        </dl>
        <fieldset className="field">
          <legend>It can</legend>
          <div className="checks">
            {authorization.methods.map((method) => (
              <Check
                key={method}
                label={permissions[method] ?? method}
                checked={methods.includes(method)}
                onChange={() => toggle(method)}
              />
            ))}
          </div>
        </fieldset>
        {authorization.is_loopback ? (
          <Note tone="caution" title="Did you start this?">
            <p>
              Any program on this computer can use this name. Continue only if you have just
              connected an app here.
            </p>
          </Note>
        ) : null}
        {problem === null ? null : <ProblemNote problem={problem} />}
        <div className="row">
          <Button variant="plain" disabled={isPending} onClick={() => void decide([])}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" disabled={isPending || methods.length === 0}>
            Connect
          </Button>
        </div>
        <p className="small quiet">You can disconnect it at any time on the Keys page.</p>
      </form>
    </div>
  );
}
