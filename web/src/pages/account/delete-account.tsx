import { useState } from "preact/compat";
import type { KeysResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmName } from "../../components/confirm-name.tsx";
import { useAction } from "../../components/use-action.ts";
import { useJobFeed } from "../../jobs/use-jobs.ts";
import { useSignedIn } from "../../session.tsx";
import { useApi } from "../../use-api.ts";
import { isLive } from "../keys/texts.ts";
import { openLandingPage } from "./leave-dashboard.ts";
import { deletionText } from "./loss.ts";

export function DeleteAccountPanel() {
  const { account } = useSignedIn();
  const { data } = useApi<KeysResponse>("/dashboard/api/keys");
  const { runningCount } = useJobFeed();
  const [isConfirming, setConfirming] = useState(false);
  const { isPending, problem, run } = useAction();
  const lossText = deletionText(data?.keys.filter(isLive).length ?? 0, runningCount ?? 0);
  const remove = () =>
    run(async () => {
      await api.delete("/dashboard/api/account", { confirm: account.name });
      openLandingPage();
    });
  return (
    <section className="panel" data-tone="danger" aria-labelledby="delete">
      <ul className="list">
        <li>
          <div>
            <h2 id="delete">Delete account</h2>
            <p>All data that identifies you will be deleted. {lossText} This cannot be undone.</p>
          </div>
          <Button variant="danger" onClick={() => setConfirming(true)}>
            Delete account
          </Button>
        </li>
      </ul>
      {isConfirming ? (
        <ConfirmName
          title={
            <>
              Delete <bdi>{account.name}</bdi>?
            </>
          }
          name={account.name}
          confirmLabel="Delete account"
          cancelLabel="Keep my account"
          isPending={isPending}
          problem={problem}
          onClose={() => setConfirming(false)}
          onConfirm={remove}
        >
          <p>
            {lossText} All results, usage, credentials and webhooks will be deleted. Archived posts
            will stay. The server will remember the account's limits for a while, without your name.
          </p>
        </ConfirmName>
      ) : null}
    </section>
  );
}
