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

const refreshMs = 15_000;

type OpenDialog = { dialog: "create" } | { dialog: "delete"; webhook: Webhook } | null;

export function WebhooksPage() {
  const [path, navigate] = useLocation();
  const { data, problem, refresh } = useApi<WebhookList>(webhooksPath, refreshMs);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [freshWebhook, setFreshWebhook] = useState<WebhookWithSecret | null>(null);
  const close = () => setDialog(null);
  const openedWebhook = data?.webhooks.find(({ id }) => id === path.split("/")[2]);
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
        {freshWebhook === null ? null : (
          <FreshSecret webhook={freshWebhook} onHide={() => setFreshWebhook(null)} />
        )}
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
                    onSecret={setFreshWebhook}
                    onDelete={() => setDialog({ dialog: "delete", webhook })}
                  />
                ))}
              </ul>
            )}
          </div>
        )}
        {openedWebhook === undefined ? null : (
          <Deliveries key={openedWebhook.id} webhook={openedWebhook} />
        )}
      </div>
      {dialog?.dialog === "create" ? (
        <CreateWebhookDialog
          onClose={close}
          onDone={async (webhook) => {
            close();
            setFreshWebhook(webhook);
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
            if (openedWebhook?.id === dialog.webhook.id) navigate("/webhooks");
            if (freshWebhook?.id === dialog.webhook.id) setFreshWebhook(null);
            await refresh();
            focusPageHead();
          }}
        />
      ) : null}
    </>
  );
}

function FreshSecret({ webhook, onHide }: { webhook: WebhookWithSecret; onHide(): void }) {
  return (
    <section className="panel" data-tone="accent" aria-labelledby="fresh-secret">
      <div className="panel-body stack">
        <div>
          <h2 id="fresh-secret" className="soft-wrap">
            Secret of {webhook.url}: copy it now
          </h2>
          <p className="soft">It signs each event and is shown once.</p>
        </div>
        <Secret text={webhook.secret} />
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
        {url} will get no more events, not even those that are waiting. This cannot be undone.
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
