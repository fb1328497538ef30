import { PageHead } from "../../components/page-head.tsx";

export function JobsPage() {
  return <PageHead title="jobs" />;
}
