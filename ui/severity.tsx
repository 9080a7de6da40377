// The severity of a question in words. The colour only repeats it.

import type { Severity } from "../src/approval/approver.ts";

export function SeverityBadge({ severity }: { readonly severity: Severity }) {
  return <span class={`badge is-${severity}`}>{severity} risk</span>;
}
