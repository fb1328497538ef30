import { useState } from "preact/compat";
import { Link } from "wouter";
import { api } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import type { Tone } from "../../components/note.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { useAction } from "../../components/use-action.ts";
import { quantityText } from "../../numbers.ts";
import { useApi } from "../../use-api.ts";
import { type Delivery, type DeliveryList, type Webhook, webhooksPath } from "./webhook.ts";

const refreshMs = 5_000;
const initialLimit = 20;

const tones: Readonly<Record<Delivery["state"], Tone | undefined>> = {
  waiting: "caution",
  delivered: "accent",
  failed: "danger",
};

export function Deliveries({ webhook: { id, url } }: { webhook: Webhook }) {
  const [limit, setLimit] = useState(initialLimit);
  const path = `${webhooksPath}/${id}/deliveries`;
  const { data, problem, refresh } = useApi<DeliveryList>(`${path}?limit=${limit}`, refreshMs);
  const replayAction = useAction();
  const replay = ({ id: delivery }: Delivery) =>
    replayAction.run(async () => {
      await api.post(`${path}/${delivery}/replay`);
      await refresh();
    });
  const failure = problem ?? replayAction.problem ?? undefined;
  const columns: readonly Column<Delivery>[] = [
    { title: "Event", cell: ({ event }) => <code>{event}</code> },
    {
      title: "State",
      cell: ({ state, next_attempt_at: next }) => (
        <>
          <Badge {...(tones[state] === undefined ? {} : { tone: tones[state] })}>{state}</Badge>
          {next === null ? null : (
            <small>
              next attempt <Ago at={next} />
            </small>
          )}
        </>
      ),
    },
    {
      title: "Last response",
      cell: ({ last_status: status, last_error: error, attempts }) => (
        <>
          {error ?? (status === null ? "none yet" : `status ${status}`)}
          <small>{quantityText(attempts, "attempt")}</small>
        </>
      ),
    },
    { title: "Created", cell: ({ created_at: createdAt }) => <Ago at={createdAt} /> },
    {
      title: "Actions",
      isActions: true,
      cell: (delivery) => (
        <Button
          size="small"
          variant="plain"
          aria-label={`Replay ${delivery.event}, ${delivery.id}`}
          disabled={replayAction.isPending}
          onClick={() => void replay(delivery)}
        >
          Replay
        </Button>
      ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="deliveries">
      <div className="panel-head">
        <h2 id="deliveries" className="soft-wrap">
          Deliveries to {url}
        </h2>
        <div className="push">
          <Link className="button" data-size="small" data-variant="plain" href="/webhooks">
            Close
          </Link>
        </div>
      </div>
      {failure === undefined ? null : (
        <div className="panel-body">
          <ProblemNote problem={failure} retry={refresh} />
        </div>
      )}
      {data?.deliveries.length === 0 ? (
        <div className="panel-body">
          <p className="quiet">No deliveries yet. Send a test event, or run a job.</p>
        </div>
      ) : null}
      {data === undefined || data.deliveries.length === 0 ? null : (
        <Table
          caption="Deliveries, newest first"
          columns={columns}
          rows={data.deliveries}
          rowKey={({ id: delivery }) => delivery}
        />
      )}
      {data?.next_cursor == null || limit >= 100 ? null : (
        <div className="panel-foot">
          <Button size="small" onClick={() => setLimit(100)}>
            Older
          </Button>
        </div>
      )}
    </section>
  );
}
