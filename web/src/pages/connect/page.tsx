import "../sign-in/sign-in.css";
import { useEffect, useState } from "preact/compat";
import useSWR from "swr";
import type { AuthorizationResponse } from "../../../../src/http/dashboard/contract/connect.ts";
import { type ApiProblem, api } from "../../api.ts";
import { InsecureBanner } from "../../components/banner.tsx";
import { Brand } from "../../components/brand.tsx";
import { Note } from "../../components/note.tsx";
import { ProblemNote, sentence } from "../../components/problem-note.tsx";
import { ConsentForm } from "./consent-form.tsx";

/** The OAuth authorization endpoint. */
export function ConnectPage() {
  const [query] = useState(() => window.location.search.slice(1));
  const { data, error, mutate } = useSWR<AuthorizationResponse, ApiProblem>(
    ["connect", query],
    () => api.post<AuthorizationResponse>("/dashboard/api/authorizations", { query }),
    // The request must not change while the user decides.
    { revalidateOnFocus: false, revalidateOnReconnect: false, shouldRetryOnError: false },
  );
  useEffect(() => {
    document.title = "Connect an app · Earshot";
  }, []);
  return (
    <>
      <InsecureBanner />
      <div className="gate">
        <header>
          <Brand />
        </header>
        <main id="main" className="stack">
          {error === undefined ? null : (
            <>
              <h1 className="sr">Connect an app</h1>
              <ProblemNote problem={error} retry={() => mutate()} />
            </>
          )}
          {data?.kind === "refused" ? <Refused authorization={data} /> : null}
          {data?.kind === "consent" ? <ConsentForm authorization={data} /> : null}
        </main>
      </div>
    </>
  );
}

function Refused({
  authorization,
}: {
  authorization: AuthorizationResponse & { kind: "refused" };
}) {
  return (
    <>
      <h1 className="sr">Connect an app</h1>
      <Note
        tone="danger"
        icon="error"
        title={`The request from ${authorization.client_host} is not valid`}
      >
        <p>{sentence(authorization.reason)}</p>
      </Note>
      <div className="row">
        <a className="button" href={authorization.location}>
          Return to {authorization.redirect_host}
        </a>
      </div>
    </>
  );
}
