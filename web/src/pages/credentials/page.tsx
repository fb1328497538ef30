import { PageHead } from "../../components/page-head.tsx";

export function CredentialsPage() {
  return <PageHead title="credentials" />;
}
