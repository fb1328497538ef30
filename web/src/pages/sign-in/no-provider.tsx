import { SignInCommand } from "./sign-in-command.tsx";

/** Instructions for the operator. */
export function NoProvider() {
  return (
    <>
      <div>
        <h1>Sign in</h1>
        <p>Sign-up is not set up yet. Operators sign in with a one-time link.</p>
      </div>
      <div className="steps-plain">
        <SignInCommand label="On the server" />
      </div>
      <div className="steps-plain">
        <p className="label">To enable sign-up</p>
        <p className="small soft">
          Register an OAuth application on GitHub, set <code>EARSHOT_GITHUB_CLIENT_ID</code> and{" "}
          <code>EARSHOT_GITHUB_CLIENT_SECRET</code>, and restart Earshot.{" "}
          <a href="/docs/dashboard#let-people-sign-in-with-github">Setup guide</a>, also for GitLab.
        </p>
      </div>
    </>
  );
}
