import { useState } from "preact/compat";
import type { AppListing, AppsResponse } from "../../../../src/http/dashboard/contract/connect.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { focusPageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { useAction } from "../../components/use-action.ts";
import { useApi } from "../../use-api.ts";
import { Methods } from "./methods.tsx";

const path = "/dashboard/api/apps";
const refreshMs = 30_000;

/** Apps connected by OAuth; empty without any. */
export function ConnectedApps() {
  const { data, problem, refresh } = useApi<AppsResponse>(path, refreshMs);
  const [appToDisconnect, setAppToDisconnect] = useState<AppListing | null>(null);
  const columns: readonly Column<AppListing>[] = [
    {
      title: "Name",
      cell: ({ name, host }) => (
        <>
          <span className="name">
            <bdi>{name}</bdi>
          </span>
          <small>{host}</small>
        </>
      ),
    },
    { title: "Methods", cell: ({ methods }) => <Methods methods={methods} /> },
    {
      title: "Connected",
      isSecondary: true,
      cell: ({ created_at: createdAt }) => <Ago at={createdAt} />,
    },
    { title: "Last used", cell: (app) => <LastUse app={app} /> },
    {
      title: "Actions",
      isActions: true,
      cell: (app) => (
        <Button
          variant="plain"
          size="small"
          aria-label={`Disconnect ${app.name}`}
          onClick={() => setAppToDisconnect(app)}
        >
          Disconnect
        </Button>
      ),
    },
  ];
  if (problem !== undefined) return <ProblemNote problem={problem} retry={refresh} />;
  if (data === undefined || data.apps.length === 0) return null;
  return (
    <section aria-labelledby="apps">
      <div className="section-head">
        <h2 id="apps">Connected apps</h2>
        <p>Signed in with your account. Each has the limits of a key.</p>
      </div>
      <div className="panel">
        <Table
          caption="Connected apps"
          columns={columns}
          rows={data.apps}
          rowKey={({ id }) => id}
        />
      </div>
      {appToDisconnect === null ? null : (
        <DisconnectDialog
          app={appToDisconnect}
          onClose={() => setAppToDisconnect(null)}
          onDone={refresh}
        />
      )}
    </section>
  );
}

function LastUse({ app }: { app: AppListing }) {
  if (app.used_at === null) return <span className="quiet">Never</span>;
  return (
    <>
      <Ago at={app.used_at} />
      <small>{app.used_from}</small>
    </>
  );
}

function DisconnectDialog({
  app,
  onClose,
  onDone,
}: {
  app: AppListing;
  onClose(): void;
  onDone(): Promise<void>;
}) {
  const { isPending, problem, run } = useAction();
  const disconnect = () =>
    run(async () => {
      await api.delete(`${path}/${app.id}`);
      onClose();
      await onDone();
      focusPageHead();
    });
  return (
    <Dialog
      title={
        <>
          Disconnect <bdi>{app.name}</bdi>?
        </>
      }
      onClose={onClose}
      onSubmit={() => void disconnect()}
    >
      <p className="soft">
        Its requests will be rejected from now on, but its running jobs will continue. To use it
        again, connect it again.
      </p>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Stay connected
        </Button>
        <Button type="submit" variant="destroy" disabled={isPending}>
          Disconnect
        </Button>
      </div>
    </Dialog>
  );
}
