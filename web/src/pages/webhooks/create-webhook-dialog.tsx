import { useState } from "preact/compat";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Check, Field } from "../../components/field.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import {
  eventTexts,
  type JobEvent,
  jobEvents,
  type WebhookWithSecret,
  webhooksPath,
} from "./webhook.ts";

export function CreateWebhookDialog({
  onClose,
  onDone,
}: {
  onClose(): void;
  onDone(webhook: WebhookWithSecret): Promise<void>;
}) {
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<readonly JobEvent[]>(jobEvents);
  const [isSent, setSent] = useState(false);
  const { isPending, problem, run } = useAction();
  const urlError = URL.canParse(url.trim()) ? null : "Enter the full URL, such as https://….";
  const toggle = (event: JobEvent) =>
    setEvents(
      jobEvents.filter((other) =>
        other === event ? !events.includes(other) : events.includes(other),
      ),
    );
  const create = () => {
    setSent(true);
    if (urlError !== null || events.length === 0) return;
    void run(async () => {
      await onDone(await api.post<WebhookWithSecret>(webhooksPath, { url: url.trim(), events }));
    });
  };
  return (
    <Dialog title="Create a webhook" onClose={onClose} onSubmit={create}>
      <Field
        label="URL"
        value={url}
        inputMode="url"
        autoFocus
        spellcheck={false}
        autoCapitalize="none"
        error={isSent ? urlError : null}
        help="Events are sent here as POST requests, signed as described by Standard Webhooks."
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <fieldset className="field" data-invalid={events.length === 0 ? "" : undefined}>
        <legend>Events</legend>
        <div className="checks">
          {jobEvents.map((event) => (
            <Check
              key={event}
              label={eventTexts[event]}
              checked={events.includes(event)}
              onChange={() => toggle(event)}
            />
          ))}
        </div>
        {events.length === 0 ? <p role="alert">Select at least one event.</p> : null}
      </fieldset>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="row">
        <Button variant="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" disabled={isPending}>
          Create webhook
        </Button>
      </div>
    </Dialog>
  );
}
