import { Link } from "wouter";
import { Empty } from "./components/empty.tsx";
import { PageHead } from "./components/page-head.tsx";

/** A page that is not there, or is another account's: both look the same. */
export function NotFound() {
  return (
    <>
      <PageHead title="No such page, or not yours" />
      <div className="panel">
        <Empty
          title="There is nothing here"
          text="What is not yours looks the same as what is not there."
        >
          <Link className="button" data-size="small" href="/playground">
            Open the playground
          </Link>
        </Empty>
      </div>
    </>
  );
}
