import { useState } from "preact/compat";
import { Link } from "wouter";
import { api } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { ProblemNote, sentence } from "../../components/problem-note.tsx";
import { Ago } from "../../components/time.tsx";
import { useAction } from "../../components/use-action.ts";
import { quantityText } from "../../numbers.ts";
import { type Webhook, type WebhookWithSecret, webhooksPath } from "./webhook.ts";

export function WebhookRow({
  webhook,
  onChanged,
  onSecret,
  onDelete,
}: {
  webhook: Webhook;
  onChanged(): Promise<void>;
  onSecret(webhook: WebhookWithSecret): void;
  onDelete(): void;
}) {
  const { id, url, events, status } = webhook;
  const path = `${webhooksPath}/${id}`;
  const { isPending, problem, run } = useAction();
  const [announcement, setAnnouncement] = useState("");
  const test = () =>
    run(async () => {
      await api.post(`${path}/test`);
      setAnnouncement("Test event sent; see the deliveries.");
    });
  const enable = () =>
    run(async () => {
      await api.post(`${path}/enable`);
      await onChanged();
    });
  const changeSecret = () =>
    run(async () => onSecret(await api.post<WebhookWithSecret>(`${path}/secret`)));
  return (
    <li>
      <div className="grow">
        <h2 className="soft-wrap">{url}</h2>
        <p>
          {events.join(", ")}. Created <Ago at={webhook.created_at} />.
        </p>
        <Failing webhook={webhook} />
        <p role="status">{announcement}</p>
        {problem === null ? null : <ProblemNote problem={problem} />}
      </div>
      <Badge tone={status === "enabled" ? "accent" : "danger"}>{status}</Badge>
      <div className="row">
        {status === "enabled" ? (
          <Button
            size="small"
            aria-label={`Send test to ${url}`}
            disabled={isPending}
            onClick={() => void test()}
          >
            Send test
          </Button>
        ) : (
          <Button
            size="small"
            aria-label={`Enable ${url}`}
            disabled={isPending}
            onClick={() => void enable()}
          >
            Enable
          </Button>
        )}
        <Link
          className="button"
          data-size="small"
          aria-label={`Deliveries to ${url}`}
          href={`/webhooks/${id}`}
        >
          Deliveries
        </Link>
        <Menu label={`More actions for ${url}`}>
          <Button variant="plain" size="small" onClick={() => void changeSecret()}>
            Change secret
          </Button>
          <Button variant="danger" size="small" onClick={onDelete}>
            Delete
          </Button>
        </Menu>
      </div>
    </li>
  );
}

function Failing({ webhook }: { webhook: Webhook }) {
  const { failing_since: since, disabled_reason: reason, dropped } = webhook;
  if (since === null && reason === null && dropped === 0) return null;
  return (
    <p>
      {reason === null ? null : sentence(reason)}{" "}
      {since === null || reason !== null ? null : (
        <>
          Failing since <Ago at={since} />.
        </>
      )}{" "}
      {dropped === 0 ? null : `${quantityText(dropped, "event")} dropped.`}
    </p>
  );
}
