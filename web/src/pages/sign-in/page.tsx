import { PageHead } from "../../components/page-head.tsx";

export function SignInPage() {
  return <PageHead title="Sign in" />;
}
