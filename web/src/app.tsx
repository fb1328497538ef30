import { lazy, Suspense } from "preact/compat";
import { Link, Redirect, Route, Router, Switch, useLocation } from "wouter";
import { Empty } from "./components/empty.tsx";
import { ErrorBoundary } from "./components/error-boundary.tsx";
import { PageHead } from "./components/page-head.tsx";
import { ProblemNote } from "./components/problem-note.tsx";
import { storedLinkToken } from "./pages/sign-in/link-token.ts";
import { SignInPage } from "./pages/sign-in/page.tsx";
import { pagesFor } from "./pages.tsx";
import { SessionProvider, useSession } from "./session.tsx";
import { Shell } from "./shell.tsx";

const PublicStatusPage = lazy(async () => ({
  default: (await import("./pages/status/public-page.tsx")).PublicStatusPage,
}));
const ConnectPage = lazy(async () => ({
  default: (await import("./pages/connect/page.tsx")).ConnectPage,
}));

export function App() {
  return (
    <Router base="/dashboard">
      <SessionProvider>
        <Pages />
      </SessionProvider>
    </Router>
  );
}

function Pages() {
  const { session, problem, refresh } = useSession();
  const [path] = useLocation();
  if (session === undefined) {
    return problem === undefined ? null : (
      <main className="main" id="main">
        <h1 className="sr">Earshot</h1>
        <ProblemNote problem={problem} retry={refresh} />
      </main>
    );
  }
  const hasSignInLink = path === "/sign-in" && storedLinkToken() !== null;
  if (session.signed_in === null && path === "/status") {
    return (
      <Suspense fallback={null}>
        <PublicStatusPage />
      </Suspense>
    );
  }
  if (session.signed_in === null || hasSignInLink) return <SignInPage />;
  if (path === "/connect") {
    return (
      <Suspense fallback={null}>
        <ConnectPage />
      </Suspense>
    );
  }
  const { first_key_due: isFirstKeyDue, account } = session.signed_in;
  if (path === "/" || path === "/sign-in") {
    return <Redirect to={isFirstKeyDue ? "/keys/first" : "/playground"} replace />;
  }
  return (
    <Shell>
      <ErrorBoundary key={path}>
        <Suspense fallback={null}>
          <Switch>
            {pagesFor(account.role).map(({ path: pagePath, component }) => (
              <Route key={pagePath} path={`${pagePath}/*?`} component={component} />
            ))}
            <Route component={NotFound} />
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}

/** Shown for missing pages and for pages of other roles. */
function NotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <div className="panel">
        <Empty
          title="Nothing here"
          text="The page does not exist, or you do not have access to it."
        >
          <Link className="button" data-size="small" href="/playground">
            Open the playground
          </Link>
        </Empty>
      </div>
    </>
  );
}
