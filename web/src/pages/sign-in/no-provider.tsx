import { SignInCommand } from "./sign-in-command.tsx";

/** How one gets in where nobody has set up a code host: told to the operator, who is the one to do it. */
export function NoProvider() {
  return (
    <>
      <div>
        <h1>Sign in</h1>
        <p>
          This installation has no sign-in with a code host yet. Its operator comes in by a link.
        </p>
      </div>
      <div className="steps-plain">
        <SignInCommand label="Where the server runs" />
      </div>
      <div className="steps-plain">
        <p className="label">To let others sign in</p>
        <p className="small soft">
          Register an OAuth application at GitHub, set <code>EARSHOT_GITHUB_CLIENT_ID</code> and{" "}
          <code>EARSHOT_GITHUB_CLIENT_SECRET</code>, and start Earshot again.{" "}
          <a href="/docs/dashboard#let-people-sign-in-with-github">Step by step</a>, also for
          GitLab.
        </p>
      </div>
    </>
  );
}
