import type { AccountListingResponse } from "../../../../src/http/dashboard/contract/operator.ts";
import { Button } from "../../components/button.tsx";
import { shortTime } from "../../components/time.tsx";
import type { AccountAction } from "./account-panel.tsx";

/** List rows for another user's account. */
export function AccountActions({
  account,
  isPending,
  onAct,
  onRestore,
}: {
  account: AccountListingResponse;
  isPending: boolean;
  onAct(action: AccountAction): void;
  onRestore(): void;
}) {
  return (
    <>
      <li>
        <div>
          <h3>Role</h3>
          <p>
            {account.role === "operator"
              ? "Operator: can see all accounts and the audit log, and manage accounts."
              : "Member: can see only their own data."}
          </p>
        </div>
        <Button onClick={() => onAct("role")}>
          {account.role === "operator" ? "Make a member" : "Make an operator"}
        </Button>
      </li>
      <li>
        <div>
          <h3>{account.suspended_at === null ? "Suspend" : "Suspended"}</h3>
          <Suspension account={account} />
        </div>
        {account.suspended_at === null ? (
          <Button onClick={() => onAct("suspend")}>Suspend account</Button>
        ) : (
          <Button disabled={isPending} onClick={onRestore}>
            Restore account
          </Button>
        )}
      </li>
      <li>
        <div>
          <h3>Delete</h3>
          <p>Deletes its keys, jobs, results, usage and credentials.</p>
        </div>
        <Button variant="danger" onClick={() => onAct("delete")}>
          Delete account
        </Button>
      </li>
    </>
  );
}

function Suspension({ account }: { account: AccountListingResponse }) {
  const { suspended_at: suspendedAt, suspended_reason: reason } = account;
  if (suspendedAt === null) {
    return <p>Rejects its keys and ends its sessions and running jobs. Nothing is deleted.</p>;
  }
  return (
    <p>
      Since {shortTime(suspendedAt)}.{" "}
      {reason === null || reason === "" ? "No reason was given." : reason}
    </p>
  );
}
