import { createContext, type ReactNode, useContext, useEffect, useState } from "preact/compat";
import useSWR from "swr";
import type { SessionResponse, SignedInState } from "../../src/http/dashboard/contract/session.ts";
import { type ApiProblem, api, onSignedOut, storeCsrfToken } from "./api.ts";

export type Session = {
  /** Undefined while loading. */
  session: SessionResponse | undefined;
  problem: ApiProblem | undefined;
  /** The server ended the session while this page was open. */
  hasEnded: boolean;
  refresh(): Promise<void>;
};

const SessionContext = createContext<Session | null>(null);

async function loadSession(path: string): Promise<SessionResponse> {
  const session = await api.get<SessionResponse>(path);
  storeCsrfToken(session);
  return session;
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const { data, error, mutate } = useSWR<SessionResponse, ApiProblem>(
    "/dashboard/api/session",
    loadSession,
  );
  const [hasEnded, setEnded] = useState(false);
  useEffect(
    () =>
      onSignedOut(() => {
        setEnded(true);
        void mutate();
      }),
    [mutate],
  );
  const refresh = async () => {
    await mutate();
  };
  return (
    <SessionContext value={{ session: data, problem: error, hasEnded, refresh }}>
      {children}
    </SessionContext>
  );
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("useSession must be called within a SessionProvider");
  return session;
}

/** For pages that require a session. */
export function useSignedIn(): SignedInState & Omit<SessionResponse, "signed_in"> {
  const { session } = useSession();
  if (session?.signed_in == null) throw new Error("no user is signed in");
  const { signed_in: signedIn, ...service } = session;
  return { ...service, ...signedIn };
}
