import { Link } from "wouter";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Icon } from "../../components/icons.tsx";

export function NoKeys({ isFirstDue, onCreate }: { isFirstDue: boolean; onCreate(): void }) {
  if (isFirstDue) {
    return (
      <Empty
        title="Your first key is ready"
        text="Programs send a key with each request. It is shown once, with an example request."
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
      text="Programs send a key with each request. Use one key per program, so that you can revoke each separately. The playground needs no key."
    >
      <Button variant="primary" size="small" onClick={onCreate}>
        <Icon name="plus" />
        Create key
      </Button>
    </Empty>
  );
}
