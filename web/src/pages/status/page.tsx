import { PageHead } from "../../components/page-head.tsx";

export function StatusPage() {
  return <PageHead title="status" />;
}
