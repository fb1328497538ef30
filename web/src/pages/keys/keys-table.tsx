import { Link } from "wouter";
import type {
  KeyListingResponse,
  KeysResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago, exactTime, useNow } from "../../components/time.tsx";
import { Methods } from "./methods.tsx";
import type { OpenKeyDialog } from "./page.tsx";
import { countText, limitsText, overlapText, remainingText } from "./texts.ts";

export function KeysTable({
  response,
  keys,
  isFull,
  onOpen,
}: {
  response: KeysResponse;
  keys: readonly KeyListingResponse[];
  isFull: boolean;
  onOpen(openDialog: OpenKeyDialog): void;
}) {
  const columns: readonly Column<KeyListingResponse>[] = [
    {
      title: "Name",
      cell: (key) => (
        <>
          <Link className="name" href={`/keys/${key.id}`}>
            <bdi>{key.name}</bdi>
          </Link>
          <small>
            <code>{key.shown}</code>
          </small>
        </>
      ),
    },
    { title: "Methods", cell: ({ methods }) => <Methods methods={methods} /> },
    {
      title: "Limits",
      isSecondary: true,
      cell: (key) => (
        <>
          {limitsText(key, response.limits)}
          <Remaining text={remainingText(key, response.limits)} />
        </>
      ),
    },
    { title: "Last used", cell: (key) => <LastUse listing={key} /> },
    { title: "Expires", cell: (key) => <ExpiryCell listing={key} /> },
    { title: "Actions", isActions: true, cell: (key) => <Actions listing={key} onOpen={onOpen} /> },
  ];
  return (
    <>
      <Table caption="API keys" columns={columns} rows={keys} rowKey={({ id }) => id} />
      <div className="panel-foot">
        <span role="status">
          {countText(response)}. Revoked keys stop working immediately.
          {isFull ? " Revoke one to create another." : null}
        </span>
      </div>
    </>
  );
}

function Remaining({ text }: { text: string | null }) {
  return text === null ? null : <small>{text}</small>;
}

export function LastUse({ listing }: { listing: KeyListingResponse }) {
  if (listing.used_at === null) return <span className="quiet">Never</span>;
  return (
    <>
      <Ago at={listing.used_at} />
      <small>{listing.used_from}</small>
    </>
  );
}

function ExpiryCell({ listing }: { listing: KeyListingResponse }) {
  const nowMs = useNow();
  if (listing.expires_at === null) return <span className="nowrap">Never</span>;
  if (listing.state === "active") return <Ago at={listing.expires_at} />;
  return (
    <time dateTime={listing.expires_at} title={exactTime(listing.expires_at)}>
      <Badge tone="caution">{overlapText(listing.expires_at, nowMs)}</Badge>
    </time>
  );
}

function Actions({
  listing,
  onOpen,
}: {
  listing: KeyListingResponse;
  onOpen(openDialog: OpenKeyDialog): void;
}) {
  const action = (dialog: "edit" | "rotate" | "revoke", label: string) => (
    <Button
      variant="plain"
      size="small"
      aria-label={`${label} ${listing.name}`}
      onClick={() => onOpen({ dialog, key: listing })}
    >
      {label}
    </Button>
  );
  if (listing.state === "expiring") return action("revoke", "Revoke now");
  return (
    <>
      {action("edit", "Edit")}
      {action("rotate", "Rotate")}
      {action("revoke", "Revoke")}
    </>
  );
}
