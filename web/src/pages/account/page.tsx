import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { isolateBidi } from "../../isolate-bidi.ts";
import { useSignedIn } from "../../session.tsx";
import { NoProviderNote } from "../operator/no-provider-note.tsx";
import { DeleteAccountPanel } from "./delete-account.tsx";
import { openLandingPage } from "./leave-dashboard.ts";
import { OwnAudit } from "./own-audit.tsx";
import { Preferences } from "./preferences.tsx";
import { Sessions } from "./sessions.tsx";
import { Spending } from "./spending.tsx";

const providerLabels = { github: "GitHub", gitlab: "GitLab" } as const;

export function AccountPage() {
  const { account } = useSignedIn();
  const { isPending, problem, run } = useAction();
  const signOut = () =>
    run(async () => {
      await api.post("/dashboard/api/sign-out");
      openLandingPage();
    });
  return (
    <>
      <PageHead
        title="Account"
        actions={
          <Button disabled={isPending} onClick={() => void signOut()}>
            Sign out
          </Button>
        }
      >
        {account.provider === null
          ? `Signed in by link as ${isolateBidi(account.name)}. `
          : `Signed in with ${providerLabels[account.provider]} as ${isolateBidi(account.name)}. Your account is tied to your user ID there, not to your login. `}
        {account.role === "operator" ? "You are an operator of this installation." : null}
      </PageHead>
      <div className="stack">
        <NoProviderNote />
        {problem === null ? null : <ProblemNote problem={problem} />}
        <Preferences />
        <Sessions onSignOut={signOut} />
        <Spending />
        <OwnAudit />
        <ExportPanel />
        <DeleteAccountPanel />
      </div>
    </>
  );
}

function ExportPanel() {
  return (
    <section className="panel" aria-labelledby="export">
      <ul className="list">
        <li>
          <div>
            <h2 id="export">Export everything</h2>
            <p>
              Account, keys and credentials (not their secrets), webhooks, jobs, results, usage,
              request logs and the audit log of your account, as one NDJSON file.
            </p>
          </div>
          <a className="button" href="/dashboard/api/account/export" download>
            Download export
          </a>
        </li>
      </ul>
    </section>
  );
}
