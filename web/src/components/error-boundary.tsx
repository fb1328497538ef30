import { Component, type ReactNode } from "preact/compat";
import { isLoadFailure } from "../load-failure.ts";
import { Button } from "./button.tsx";
import { LoadFailed } from "./load-failed.tsx";
import { Note } from "./note.tsx";

type Props = { children: ReactNode };

/** Keeps the rest of the dashboard usable when a page fails. */
export class ErrorBoundary extends Component<Props, { failure: { error: unknown } | null }> {
  override state = { failure: null as { error: unknown } | null };

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  override render() {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    if (isLoadFailure(failure.error)) return <LoadFailed />;
    return (
      <>
        <h1 className="sr">Page failed</h1>
        <Note
          tone="danger"
          icon="error"
          title="This page could not be shown"
          action={
            <Button size="small" onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          <p>
            {failure.error instanceof Error ? failure.error.message : String(failure.error)}. What
            you have saved is safe.
          </p>
        </Note>
      </>
    );
  }
}
