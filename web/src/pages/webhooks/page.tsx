import { useState } from "preact/compat";
import { useLocation } from "wouter";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Empty } from "../../components/empty.tsx";
import { Icon } from "../../components/icons.tsx";
import { Loading } from "../../components/loading.tsx";
import { focusPageHead, PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { Secret } from "../../components/secret.tsx";
import { useAction } from "../../components/use-action.ts";
import { useApi } from "../../use-api.ts";
import { CreateWebhookDialog } from "./create-webhook-dialog.tsx";
import { Deliveries } from "./deliveries.tsx";
import { type Webhook, type WebhookList, type WebhookWithSecret, webhooksPath } from "./webhook.ts";
import { WebhookRow } from "./webhook-row.tsx";

const everyMs = 15_000;

type OpenDialog = { dialog: "create" } | { dialog: "delete"; webhook: Webhook } | null;

export function WebhooksPage() {
  const [path, go] = useLocation();
  const { data, problem, refresh } = useApi<WebhookList>(webhooksPath, everyMs);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [fresh, setFresh] = useState<WebhookWithSecret | null>(null);
  const close = () => setDialog(null);
  const opened = data?.webhooks.find(({ id }) => id === path.split("/")[2]);
  return (
    <>
      <PageHead
        title="Webhooks"
        actions={
          <Button variant="primary" onClick={() => setDialog({ dialog: "create" })}>
            <Icon name="plus" />
            Create webhook
          </Button>
        }
      >
        Notifies your server when a job ends. <a href="/docs/api#webhooks">How to verify events</a>
      </PageHead>
      <div className="stack">
        {fresh === null ? null : <FreshSecret fresh={fresh} onHide={() => setFresh(null)} />}
        {problem === undefined ? null : <ProblemNote problem={problem} retry={refresh} />}
        {data === undefined ? (
          problem === undefined && <Loading>Loading webhooks…</Loading>
        ) : (
          <div className="panel">
            {data.webhooks.length === 0 ? (
              <Empty
                title="No webhooks"
                text="A webhook sends an event to your server when a job ends, so you do not have to poll."
              />
            ) : (
              <ul className="list">
                {data.webhooks.map((webhook) => (
                  <WebhookRow
                    key={webhook.id}
                    webhook={webhook}
                    onChanged={refresh}
                    onSecret={setFresh}
                    onDelete={() => setDialog({ dialog: "delete", webhook })}
                  />
                ))}
              </ul>
            )}
          </div>
        )}
        {opened === undefined ? null : <Deliveries key={opened.id} webhook={opened} />}
      </div>
      {dialog?.dialog === "create" ? (
        <CreateWebhookDialog
          onClose={close}
          onDone={async (made) => {
            close();
            setFresh(made);
            await refresh();
          }}
        />
      ) : null}
      {dialog?.dialog === "delete" ? (
        <DeleteDialog
          webhook={dialog.webhook}
          onClose={close}
          onDone={async () => {
            close();
            if (opened?.id === dialog.webhook.id) go("/webhooks");
            if (fresh?.id === dialog.webhook.id) setFresh(null);
            await refresh();
            focusPageHead();
          }}
        />
      ) : null}
    </>
  );
}

function FreshSecret({ fresh, onHide }: { fresh: WebhookWithSecret; onHide(): void }) {
  return (
    <section className="panel" data-tone="accent" aria-labelledby="fresh-secret">
      <div className="panel-body stack">
        <div>
          <h2 id="fresh-secret" className="soft-wrap">
            Secret of {fresh.url}: copy it now
          </h2>
          <p className="soft">It signs each event and is shown once.</p>
        </div>
        <Secret text={fresh.secret} />
      </div>
      <div className="panel-foot">
        <Button size="small" variant="plain" onClick={onHide}>
          Hide
        </Button>
      </div>
    </section>
  );
}

function DeleteDialog({
  webhook: { id, url },
  onClose,
  onDone,
}: {
  webhook: Webhook;
  onClose(): void;
  onDone(): Promise<void>;
}) {
  const { isPending, problem, run } = useAction();
  const remove = () =>
    run(async () => {
      await api.delete(`${webhooksPath}/${id}`);
      await onDone();
    });
  return (
    <Dialog title="Delete this webhook?" onClose={onClose} onSubmit={() => void remove()}>
      <p className="soft soft-wrap">
        {url} gets no more events, including those that are waiting. This cannot be undone.
      </p>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Keep it
        </Button>
        <Button type="submit" variant="destroy" disabled={isPending}>
          Delete webhook
        </Button>
      </div>
    </Dialog>
  );
}
