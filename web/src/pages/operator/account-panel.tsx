import { useEffect, useRef, useState } from "preact/compat";
import { Link } from "wouter";
import type {
  AccountChange,
  AccountListingResponse,
} from "../../../../src/http/dashboard/contract/operator.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { useSignedIn } from "../../session.tsx";
import { AccountActions } from "./account-actions.tsx";
import { DeleteDialog, RoleDialog, SuspendDialog } from "./account-dialogs.tsx";
import { LimitsDialog } from "./limits-dialog.tsx";
import { limitsSentence } from "./rates.ts";

export type AccountDialogProps = {
  account: AccountListingResponse;
  onClose(): void;
  /** Errors: ApiProblem. */
  onChange(change: AccountChange): Promise<void>;
  onChanged(): Promise<void>;
};

export type AccountAction = "limits" | "role" | "suspend" | "delete";
const dialogs = {
  limits: LimitsDialog,
  role: RoleDialog,
  suspend: SuspendDialog,
  delete: DeleteDialog,
} as const;

export function AccountPanel({
  account,
  onChanged,
}: {
  account: AccountListingResponse;
  onChanged(): Promise<void>;
}) {
  const { account: ownAccount } = useSignedIn();
  const [action, setAction] = useState<AccountAction | null>(null);
  const { isPending, problem, run } = useAction();
  const change = async (accountChange: AccountChange) => {
    await api.patch(`/dashboard/api/operator/accounts/${account.id}`, accountChange);
    await onChanged();
  };
  const Dialog = action === null ? null : dialogs[action];
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isOwn = ownAccount.id === account.id;
  return (
    <section className="panel" aria-labelledby="opened">
      <div className="panel-head">
        <h2 id="opened" ref={heading} tabIndex={-1}>
          <bdi>{account.name}</bdi>
        </h2>
        <div className="row push">
          <Link className="button" data-size="small" href={`/activity/keys?account=${account.id}`}>
            Activity
          </Link>
          <Link className="button" data-size="small" href={`/audit?account=${account.id}`}>
            Audit log
          </Link>
          <Link className="button" data-size="small" data-variant="plain" href="/accounts">
            Close
          </Link>
        </div>
      </div>
      {problem === null ? null : (
        <div className="panel-body">
          <ProblemNote problem={problem} />
        </div>
      )}
      <ul className="list">
        <li>
          <div>
            <h3>Limits</h3>
            <p>{limitsSentence(account.limits)} Its keys can have lower limits.</p>
          </div>
          <Button
            aria-label={`Change limits of ${account.name}`}
            onClick={() => setAction("limits")}
          >
            Change limits
          </Button>
        </li>
        {isOwn ? (
          <li>
            <div>
              <h3>This is you</h3>
              <p>
                Only another operator can change your role or suspend you. You can delete your
                account on <Link href="/account">the Account page</Link>.
              </p>
            </div>
          </li>
        ) : (
          <AccountActions
            account={account}
            isPending={isPending}
            onAct={setAction}
            onRestore={() => void run(() => change({ suspended: false }))}
          />
        )}
      </ul>
      {Dialog === null ? null : (
        <Dialog
          account={account}
          onClose={() => setAction(null)}
          onChange={change}
          onChanged={onChanged}
        />
      )}
    </section>
  );
}
