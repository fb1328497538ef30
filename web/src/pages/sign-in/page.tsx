import "./sign-in.css";
import { useEffect, useState } from "preact/compat";
import { useLocation, useSearch } from "wouter";
import type { SessionResponse } from "../../../../src/http/dashboard/contract/session.ts";
import { InsecureBanner } from "../../components/banner.tsx";
import { Brand } from "../../components/brand.tsx";
import { Icon } from "../../components/icons.tsx";
import { Note } from "../../components/note.tsx";
import { useSession } from "../../session.tsx";
import { LinkSignIn } from "./link-sign-in.tsx";
import { storedLinkToken } from "./link-token.ts";
import { SignInCommand } from "./sign-in-command.tsx";
import { findRefusal } from "./sign-in-errors.ts";

/** Shown to signed-out visitors, except on /status. */
export function SignInPage() {
  const { session, hasEnded } = useSession();
  const [token, setToken] = useState(storedLinkToken);
  const refusal = findRefusal(new URLSearchParams(useSearch()).get("error"));
  const isSignedIn = session?.signed_in != null;
  useEffect(() => {
    document.title = "Sign in · Earshot";
  }, []);
  if (session === undefined) return null;
  return (
    <>
      <InsecureBanner />
      <div className="gate">
        <header>
          <Brand />
        </header>
        <main id="main" className="stack">
          {refusal === null || token !== null ? null : (
            <Note
              tone={refusal.tone}
              icon={refusal.tone === "danger" ? "error" : "info"}
              title={refusal.title}
            >
              <p>{refusal.text}</p>
            </Note>
          )}
          {hasEnded && token === null ? (
            <Note tone="accent" title="Your session has ended">
              <p>Sign in to continue; your query is not lost.</p>
            </Note>
          ) : null}
          <div className="panel">
            <div className="panel-body">
              {token === null ? (
                <SignInMethods session={session} />
              ) : (
                <LinkSignIn
                  token={token}
                  isSignedIn={isSignedIn}
                  hasProviders={session.providers.length > 0}
                  onLeave={() => setToken(null)}
                />
              )}
            </div>
          </div>
        </main>
        <footer className="gate-foot">
          <a href="/docs">Docs</a>
          <a href="/docs/query-language">Query language</a>
          <a href="/openapi.json">OpenAPI</a>
        </footer>
      </div>
    </>
  );
}

function SignInMethods({ session: { providers } }: { session: SessionResponse }) {
  const [path] = useLocation();
  // The query as it was written, because wouter decodes it.
  const { search } = window.location;
  if (providers.length === 0) return <NoProvider />;
  const returnPath = path === "/sign-in" ? "/dashboard" : `/dashboard${path}${search}`;
  return (
    <>
      <div>
        <h1>Sign in</h1>
        <p>Your first sign-in creates an account and an API key.</p>
      </div>
      <div className="ways">
        {providers.map(({ name, label }, index) => (
          <a
            key={name}
            className="button"
            data-variant={index === 0 ? "primary" : undefined}
            data-size="large"
            href={`/auth/${name}?return=${encodeURIComponent(returnPath)}`}
          >
            <Icon name="branch" />
            Sign in with {label}
          </a>
        ))}
      </div>
      <p className="small quiet">
        Earshot reads your identity and, if the operator requires it, your organisation membership.
        It stores your user ID and login, and cannot act for you.
      </p>
    </>
  );
}

/** Instructions for the operator. */
function NoProvider() {
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
