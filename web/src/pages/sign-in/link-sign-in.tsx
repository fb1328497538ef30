import { useLocation } from "wouter";
import type {
  LinkSignInRequest,
  SessionResponse,
} from "../../../../src/http/dashboard/contract/session.ts";
import { api } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import { useSession } from "../../session.tsx";
import { forgetLinkToken } from "./link-token.ts";
import { SignInCommand } from "./sign-in-command.tsx";

/** Uses the token only on a click, so that link previews do not consume it. */
export function LinkSignIn({
  token,
  isSignedIn,
  hasProviders,
  onLeave,
}: {
  token: string;
  isSignedIn: boolean;
  hasProviders: boolean;
  onLeave(): void;
}) {
  const { refresh } = useSession();
  const [, navigate] = useLocation();
  const { isPending, problem, run } = useAction();
  const isSpent = problem?.code === "sign_in_link_invalid" || token === "";
  const signIn = () =>
    run(async () => {
      const body: LinkSignInRequest = { token };
      await api.post<SessionResponse>("/dashboard/api/sign-in", body);
      forgetLinkToken();
      await refresh();
      navigate("/", { replace: true });
    });
  const leave = () => {
    forgetLinkToken();
    onLeave();
    if (isSignedIn) navigate("/", { replace: true });
  };
  if (isSpent) {
    return (
      <>
        <div role="alert">
          <h1>This link is no longer valid</h1>
          <p>It was used, has expired, or is incomplete. A link works once, for a few minutes.</p>
        </div>
        <div className="steps-plain">
          <SignInCommand label="To get a new link, on the server" />
        </div>
        {hasProviders || isSignedIn ? (
          <div className="ways">
            <Button onClick={leave}>
              {isSignedIn ? "Stay signed in" : "Other ways to sign in"}
            </Button>
          </div>
        ) : null}
      </>
    );
  }
  return (
    <>
      <div>
        <h1>Sign in with your link</h1>
        <p>The link works once.{isSignedIn ? " Your current session will end." : null}</p>
      </div>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="ways">
        <Button variant="primary" size="large" disabled={isPending} onClick={() => void signIn()}>
          Sign in with this link
        </Button>
        {isSignedIn ? (
          <Button variant="plain" onClick={leave}>
            Stay signed in
          </Button>
        ) : null}
      </div>
    </>
  );
}
