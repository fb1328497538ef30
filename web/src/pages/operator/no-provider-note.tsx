import { Note } from "../../components/note.tsx";
import { useSignedIn } from "../../session.tsx";

/** For operators, where nobody else can sign in yet: how they could. */
export function NoProviderNote() {
  const { providers, account } = useSignedIn();
  if (providers.length > 0 || account.role !== "operator") return null;
  return (
    <Note tone="accent" title="This installation has no sign-in provider yet">
      <p>
        Only one-time links lead in. Set <code>EARSHOT_GITHUB_CLIENT_ID</code> and{" "}
        <code>EARSHOT_GITHUB_CLIENT_SECRET</code> so that others can sign in;{" "}
        <a href="/docs/dashboard#let-people-sign-in-with-github">step by step</a>.
      </p>
    </Note>
  );
}
