import { Link } from "wouter";
import { Empty } from "./components/empty.tsx";
import { PageHead } from "./components/page-head.tsx";

/** A page that is not there, or is another account's: both look the same. */
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
