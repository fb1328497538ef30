import { Note } from "../../components/note.tsx";
import { useSignedIn } from "../../session.tsx";

export function NoProviderNote() {
  const { providers, account } = useSignedIn();
  if (providers.length > 0 || account.role !== "operator") return null;
  return (
    <Note tone="accent" title="No sign-in provider is configured">
      <p>
        Users can sign in only with one-time links. To enable sign-up, set{" "}
        <code>EARSHOT_GITHUB_CLIENT_ID</code> and <code>EARSHOT_GITHUB_CLIENT_SECRET</code>:{" "}
        <a href="/docs/dashboard#let-people-sign-in-with-github">setup guide</a>.
      </p>
    </Note>
  );
}
