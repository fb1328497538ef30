import type { AccountListing } from "../../../../src/http/dashboard/contract.ts";
import { Button } from "../../components/button.tsx";
import { shortTime } from "../../components/time.tsx";
import type { Act } from "./account-panel.tsx";

/** What an operator can do with the account of somebody else; rows of a list. */
export function OthersActs({
  account,
  isUnderWay,
  onAct,
  onRestore,
}: {
  account: AccountListing;
  isUnderWay: boolean;
  onAct(act: Act): void;
  onRestore(): void;
}) {
  return (
    <>
      <li>
        <div>
          <h3>Role</h3>
          <p>
            {account.role === "operator"
              ? "An operator: sees all accounts and the audit log, and can do all of this."
              : "A member: sees what is their own."}
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
          <Button disabled={isUnderWay} onClick={onRestore}>
            Restore account
          </Button>
        )}
      </li>
      <li>
        <div>
          <h3>Delete</h3>
          <p>Every row that names it is removed: keys, jobs, results, usage, credentials.</p>
        </div>
        <Button variant="danger" onClick={() => onAct("delete")}>
          Delete account
        </Button>
      </li>
    </>
  );
}

function Suspension({ account }: { account: AccountListing }) {
  const { suspended_at: at, suspended_reason: reason } = account;
  if (at === null) {
    return <p>Its keys are refused, its sessions and running jobs end. Nothing is removed.</p>;
  }
  return (
    <p>
      Since {shortTime(at)}. {reason === null || reason === "" ? "No reason was given." : reason}
    </p>
  );
}
