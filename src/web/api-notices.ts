// The messages about notices on the desktop: types only, shared by the page and the server.

import type { Severity } from "../approval/approver.ts";

/** `POST /api/notices`: a page that may show a notice asks whether there is one that nobody has shown. */
export interface NoticeRequest {
  /** True if a person has the page before them. Then it needs no notice, and no other page shows one. */
  readonly isLookedAt: boolean;
}

/** For this page alone. It has nothing that an agent wrote. */
export interface NoticeView {
  /** How many questions to tell; 0 for none. */
  readonly count: number;
  /** The gravest of them. */
  readonly severity: Severity;
  /** If there is one alone. */
  readonly question: string | null;
}
