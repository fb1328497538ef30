import { createContext, type ReactNode, useContext, useEffect, useState } from "preact/compat";
import useSWR from "swr";
import type { SessionAnswer, SignedIn } from "../../src/http/dashboard/contract/session.ts";
import { type ApiProblem, api, onSignedOut, storeCsrfToken } from "./api.ts";

export type Session = {
  /** Undefined while loading. */
  session: SessionAnswer | undefined;
  problem: ApiProblem | undefined;
  /** The server ended the session while this page was open. */
  hasEnded: boolean;
  refresh(): Promise<void>;
};

const SessionContext = createContext<Session | null>(null);

async function loadSession(path: string): Promise<SessionAnswer> {
  const session = await api.get<SessionAnswer>(path);
  storeCsrfToken(session);
  return session;
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const { data, error, mutate } = useSWR<SessionAnswer, ApiProblem>(
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
  if (session === null) throw new Error("useSession must be called below a SessionProvider");
  return session;
}

/** The session of pages, which require one. */
export function useSignedIn(): SignedIn & Omit<SessionAnswer, "signed_in"> {
  const { session } = useSession();
  if (session?.signed_in == null) throw new Error("no user is signed in");
  const { signed_in: signedIn, ...service } = session;
  return { ...service, ...signedIn };
}
