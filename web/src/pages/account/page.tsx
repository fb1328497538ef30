import { PageHead } from "../../components/page-head.tsx";

export function AccountPage() {
  return <PageHead title="account" />;
}
