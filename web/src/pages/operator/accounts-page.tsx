import { PageHead } from "../../components/page-head.tsx";

export function AccountsPage() {
  return <PageHead title="operator" />;
}
