import { Link } from "wouter";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Icon } from "../../components/icons.tsx";

/** What a key is for, and how one gets the first. */
export function NoKeys({ isFirstDue, onCreate }: { isFirstDue: boolean; onCreate(): void }) {
  if (isFirstDue) {
    return (
      <Empty
        title="Your first key is ready"
        text="Programs show a key with each request; this page does not need one. It is shown once, with a call to try it."
      >
        <Link className="button" data-variant="primary" data-size="small" href="/keys/first">
          Show my key
        </Link>
      </Empty>
    );
  }
  return (
    <Empty
      title="No keys"
      text="Programs show a key with each request: one for each program, so that one of them can go without the others. The playground works without."
    >
      <Button variant="primary" size="small" onClick={onCreate}>
        <Icon name="plus" />
        Create key
      </Button>
    </Empty>
  );
}
