import { useState } from "preact/compat";
import { useLocation } from "wouter";
import type {
  KeyListingResponse,
  KeysResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icons.tsx";
import { Note } from "../../components/note.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useNow } from "../../components/time.tsx";
import { useSignedIn } from "../../session.tsx";
import { useApi } from "../../use-api.ts";
import { ConnectedApps } from "./connected-apps.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { EditKeyDialog } from "./edit-key-dialog.tsx";
import { EndedKeys } from "./ended-keys.tsx";
import { useFreshKeys } from "./fresh-key.ts";
import { FreshKeyPanel } from "./fresh-key-panel.tsx";
import { keyAlerts } from "./key-alerts.ts";
import { KeyRequests } from "./key-requests.tsx";
import { KeysTable } from "./keys-table.tsx";
import { FirstKeyProblem, keysPath, NoKeys, useFirstKey } from "./no-keys.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";
import { RotateKeyDialog } from "./rotate-key-dialog.tsx";
import { countStoredKeys, inWords, isLive } from "./texts.ts";

const refreshMs = 30_000;

export type OpenKeyDialog =
  | { dialog: "create" }
  | { dialog: "edit" | "rotate" | "revoke"; key: KeyListingResponse }
  | null;

/** /keys/first, shown after sign-up, issues the first key; /keys/<id> shows a key's requests. */
export function KeysPage() {
  const { account, first_key_due: isFirstDue } = useSignedIn();
  const { data, problem, refresh } = useApi<KeysResponse>(keysPath, refreshMs);
  const freshKeys = useFreshKeys(account.id);
  const firstKeyProblem = useFirstKey();
  const [openDialog, setOpenDialog] = useState<OpenKeyDialog>(null);
  const close = () => setOpenDialog(null);
  const isFull = data !== undefined && countStoredKeys(data.keys) >= data.max_keys;
  return (
    <>
      <PageHead
        title="Keys"
        actions={
          data === undefined || isFirstDue || isFull ? undefined : (
            <Button
              {...(freshKeys.length === 0 ? { variant: "primary" as const } : {})}
              onClick={() => setOpenDialog({ dialog: "create" })}
            >
              <Icon name="plus" />
              Create key
            </Button>
          )
        }
      >
        A key is shown once, when it is created.
        {data === undefined ? null : ` You can have ${inWords(data.max_keys)}.`}
      </PageHead>
      <div className="stack">
        {firstKeyProblem === null || freshKeys.length > 0 ? null : (
          <FirstKeyProblem problem={firstKeyProblem} />
        )}
        {freshKeys.map((freshKey, index) => (
          <FreshKeyPanel key={freshKey.key.id} freshKey={freshKey} isLatest={index === 0} />
        ))}
        {problem === undefined ? null : <ProblemNote problem={problem} retry={refresh} />}
        {data === undefined ? null : <KeyAlerts response={data} />}
        {data === undefined ? null : (
          <KeyLists
            response={data}
            isFirstDue={isFirstDue}
            isFull={isFull}
            onOpen={setOpenDialog}
          />
        )}
        <ConnectedApps />
      </div>
      {openDialog === null || data === undefined ? null : (
        <KeyDialog openDialog={openDialog} response={data} onClose={close} onDone={refresh} />
      )}
    </>
  );
}

function KeyAlerts({ response }: { response: KeysResponse }) {
  const alerts = keyAlerts(response, useNow());
  if (alerts.length === 0) return null;
  return (
    <Note tone="caution" icon="clock" title="Keys need attention">
      {alerts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </Note>
  );
}

function KeyLists({
  response,
  isFirstDue,
  isFull,
  onOpen,
}: {
  response: KeysResponse;
  isFirstDue: boolean;
  isFull: boolean;
  onOpen(openDialog: OpenKeyDialog): void;
}) {
  const openedId = useLocation()[0].split("/")[2];
  const openedKey = response.keys.find(({ id }) => id === openedId);
  const liveKeys = response.keys.filter(isLive);
  const endedKeys = response.keys.filter((key) => !isLive(key));
  return (
    <>
      <div className="panel">
        {liveKeys.length === 0 ? (
          <NoKeys isFirstDue={isFirstDue} onCreate={() => onOpen({ dialog: "create" })} />
        ) : (
          <KeysTable response={response} keys={liveKeys} isFull={isFull} onOpen={onOpen} />
        )}
      </div>
      {openedKey === undefined ? null : <KeyRequests key={openedKey.id} listing={openedKey} />}
      {endedKeys.length === 0 ? null : <EndedKeys keys={endedKeys} allKeys={response.keys} />}
    </>
  );
}

function KeyDialog({
  openDialog,
  response,
  onClose,
  onDone,
}: {
  openDialog: NonNullable<OpenKeyDialog>;
  response: KeysResponse;
  onClose(): void;
  onDone(): Promise<void>;
}) {
  const callbacks = { onClose, onDone };
  if (openDialog.dialog === "create")
    return <CreateKeyDialog limits={response.limits} {...callbacks} />;
  const { dialog, key } = openDialog;
  if (dialog === "edit")
    return <EditKeyDialog listing={key} limits={response.limits} {...callbacks} />;
  if (dialog === "rotate") return <RotateKeyDialog listing={key} {...callbacks} />;
  return <RevokeKeyDialog listing={key} allKeys={response.keys} {...callbacks} />;
}
