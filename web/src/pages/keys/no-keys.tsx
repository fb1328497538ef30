import { useEffect, useState } from "preact/compat";
import { useSWRConfig } from "swr";
import { Link, useLocation } from "wouter";
import { ApiProblem } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Icon } from "../../components/icons.tsx";
import { Note } from "../../components/note.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useSignedIn } from "../../session.tsx";
import { issueFirstKey } from "./fresh-key.ts";

export function NoKeys({ isFirstDue, onCreate }: { isFirstDue: boolean; onCreate(): void }) {
  if (isFirstDue) {
    return (
      <Empty
        title="Your first key is ready"
        text="Programs send a key with each request. It is shown once, with an example request."
      >
        <Link className="button" data-variant="primary" data-size="small" href="/keys/first">
          Show my key
        </Link>
      </Empty>
    );
  }
  return (
    <Empty
      title="No keys"
      text="Programs send a key with each request. Use one key per program, so that you can revoke each separately. The playground needs no key."
    >
      <Button variant="primary" size="small" onClick={onCreate}>
        <Icon name="plus" />
        Create key
      </Button>
    </Empty>
  );
}

export const keysPath = "/dashboard/api/keys";

/** Issues the first key on /keys/first if due. Returns the error, or null. */
export function useFirstKey(): ApiProblem | null {
  const [path] = useLocation();
  const { account, first_key_due: isDue } = useSignedIn();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const { mutate } = useSWRConfig();
  const isRequested = path === "/keys/first" && isDue;
  useEffect(() => {
    if (!isRequested) return;
    const issue = async () => {
      try {
        await issueFirstKey(account.id);
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        setProblem(error);
      }
      await Promise.all([mutate("/dashboard/api/session"), mutate(keysPath)]);
    };
    void issue();
  }, [isRequested, account.id, mutate]);
  return problem;
}

export function FirstKeyProblem({ problem }: { problem: ApiProblem }) {
  if (problem.code !== "first_key_shown") return <ProblemNote problem={problem} />;
  return (
    <Note tone="caution" title="Your first key was already shown">
      <p>
        If you did not store it, rotate it below. The new key has the same name and is shown once.
      </p>
    </Note>
  );
}
