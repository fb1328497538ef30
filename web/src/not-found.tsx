import { Link } from "wouter";
import { Empty } from "./components/empty.tsx";
import { PageHead } from "./components/page-head.tsx";

/** Shown for missing pages and for pages of other roles. */
export function NotFound() {
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
