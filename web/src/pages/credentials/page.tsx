import "./credentials.css";
import { useState } from "preact/compat";
import type { CredentialsResponse } from "../../../../src/http/dashboard/contract/credentials.ts";
import { Loading } from "../../components/loading.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useApi } from "../../use-api.ts";
import { ConnectedRow } from "./connected-row.tsx";
import { CredentialDialog, type OpenCredentialDialog } from "./credential-dialog.tsx";
import { PlatformList } from "./platform-list.tsx";
import { credentialTitle } from "./texts.ts";

const refreshMs = 30_000;

export function CredentialsPage() {
  const { data, problem, refresh } = useApi<CredentialsResponse>(
    "/dashboard/api/credentials",
    refreshMs,
  );
  const [openDialog, setOpenDialog] = useState<OpenCredentialDialog>(null);
  const [announcement, setAnnouncement] = useState("");
  const close = () => setOpenDialog(null);
  const closeAndAnnounce = async (text: string) => {
    close();
    setAnnouncement(text);
    await refresh();
    requestAnimationFrame(focusHeadingIfLost);
  };
  return (
    <>
      <PageHead title="Credentials">
        {data === undefined ? null : `${pageSummary(data)} `}
        Your credentials are encrypted and used only for your own searches.
      </PageHead>
      <p className="sr" role="status">
        {announcement}
      </p>
      <div className="stack">
        {problem === undefined ? null : <ProblemNote problem={problem} retry={refresh} />}
        {data === undefined && problem === undefined ? (
          <Loading>Loading credentials…</Loading>
        ) : null}
        {data === undefined ? null : (
          <CredentialLists response={data} onOpen={setOpenDialog} onRefresh={refresh} />
        )}
      </div>
      {openDialog === null || data === undefined ? null : (
        <CredentialDialog
          openDialog={openDialog}
          response={data}
          onClose={close}
          onDone={closeAndAnnounce}
        />
      )}
    </>
  );
}

/** The pressed button may have been removed with its row. */
function focusHeadingIfLost(): void {
  if (document.activeElement === document.body) document.querySelector("h1")?.focus();
}

function pageSummary({ credentials }: CredentialsResponse): string {
  const rejectedCount = credentials.filter(({ state }) => state === "quarantined").length;
  if (credentials.length === 0) return "No credentials connected.";
  if (rejectedCount === 0)
    return credentials.length === 1 ? "1 connected." : `${credentials.length} connected.`;
  return rejectedCount === 1 ? "1 is rejected by its platform." : `${rejectedCount} are rejected.`;
}

function CredentialLists({
  response: { credentials, kinds },
  onOpen,
  onRefresh,
}: {
  response: CredentialsResponse;
  onOpen(openDialog: OpenCredentialDialog): void;
  onRefresh(): Promise<void>;
}) {
  const connectedPlatforms = new Set(credentials.map(({ platform }) => platform));
  return (
    <>
      {credentials.length === 0 ? null : (
        <section aria-labelledby="connected">
          <div className="section-head">
            <h2 id="connected">Connected</h2>
          </div>
          <div className="panel">
            <ul className="list">
              {credentials.map((credential) => (
                <ConnectedRow
                  key={credential.id}
                  credential={credential}
                  title={credentialTitle(credential, kinds)}
                  onRefresh={onRefresh}
                  onConnectAgain={() => onOpen({ dialog: "connect", ...credential })}
                  onDisconnect={() => onOpen({ dialog: "disconnect", credential })}
                />
              ))}
            </ul>
          </div>
        </section>
      )}
      <PlatformList
        connectedPlatforms={connectedPlatforms}
        onConnect={(platform) => onOpen({ dialog: "connect", platform, kind: null })}
      />
    </>
  );
}
