import { useState } from "preact/compat";
import type {
  SessionListing,
  SessionsResponse,
} from "../../../../src/http/dashboard/contract/account.ts";
import { api } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { focusPageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { useAction } from "../../components/use-action.ts";
import { useApi } from "../../use-api.ts";
import { openLandingPage } from "./leave-dashboard.ts";

const methods = { github: "with GitHub", gitlab: "with GitLab", link: "by link" } as const;

export function Sessions({ onSignOut }: { onSignOut(): Promise<void> }) {
  const { data, problem, refresh } = useApi<SessionsResponse>("/dashboard/api/sessions");
  const [isConfirming, setConfirming] = useState(false);
  const { isPending, problem: refusal, run } = useAction();
  const endSession = ({ id, is_this: isThis }: SessionListing) => {
    if (isThis) return onSignOut();
    return run(async () => {
      await api.delete(`/dashboard/api/sessions/${id}`);
      await refresh();
      focusPageHead();
    });
  };
  const columns: readonly Column<SessionListing>[] = [
    {
      title: "Browser",
      cell: (session) => (
        <>
          <span className="name">{session.agent}</span>{" "}
          {session.is_this ? <Badge tone="accent">this browser</Badge> : null}
        </>
      ),
    },
    { title: "Network", cell: ({ address_group: group }) => group },
    {
      title: "Signed in",
      isSecondary: true,
      cell: ({ created_at: createdAt, method }) => (
        <>
          <Ago at={createdAt} /> <span className="quiet">{methods[method]}</span>
        </>
      ),
    },
    {
      title: "Last seen",
      cell: (session) => (session.is_this ? "now" : <Ago at={session.used_at} />),
    },
    {
      title: "Actions",
      isActions: true,
      cell: (session) => (
        <Button
          variant="plain"
          size="small"
          disabled={isPending}
          aria-label={`Sign out ${session.agent}`}
          onClick={() => void endSession(session)}
        >
          Sign out
        </Button>
      ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="sessions">
      <div className="panel-head">
        <h2 id="sessions">Sessions</h2>
        <div className="push">
          <Button size="small" onClick={() => setConfirming(true)}>
            Sign out everywhere
          </Button>
        </div>
      </div>
      {problem === undefined ? null : (
        <div className="panel-body">
          <ProblemNote problem={problem} retry={refresh} />
        </div>
      )}
      {refusal === null ? null : (
        <div className="panel-body">
          <ProblemNote problem={refusal} />
        </div>
      )}
      {data === undefined ? null : (
        <Table
          caption="Sessions"
          columns={columns}
          rows={thisFirst(data.sessions)}
          rowKey={({ id }) => id}
        />
      )}
      {isConfirming ? <EverywhereDialog onClose={() => setConfirming(false)} /> : null}
    </section>
  );
}

function thisFirst(sessions: readonly SessionListing[]): readonly SessionListing[] {
  return sessions.toSorted((a, b) => Number(b.is_this) - Number(a.is_this));
}

function EverywhereDialog({ onClose }: { onClose(): void }) {
  const { isPending, problem, run } = useAction();
  const signOut = () =>
    run(async () => {
      await api.post("/dashboard/api/sign-out-everywhere");
      openLandingPage();
    });
  return (
    <Dialog title="Sign out everywhere?" onClose={onClose} onSubmit={() => void signOut()}>
      <p className="soft">
        All browsers, including this one, will be signed out immediately. API keys will keep
        working.
      </p>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Stay signed in
        </Button>
        <Button type="submit" variant="primary" disabled={isPending}>
          Sign out everywhere
        </Button>
      </div>
    </Dialog>
  );
}
