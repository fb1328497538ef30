import { PageHead } from "../../components/page-head.tsx";

export function KeysPage() {
  return <PageHead title="keys" />;
}
