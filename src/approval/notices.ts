// The port to what is known of notices: which question was told by which channel, and who sends now. All processes on one store
// share it.
// Invariant: at most one member sends on a channel at a time. A member that is gone has sent nothing unless it said so, and another
// takes over.

export interface ChannelState {
  /** The questions that were told, or could not be. */
  readonly told: ReadonlySet<string>;
  /** When the last notice went, in milliseconds since 1970. */
  readonly sentAt: number | null;
  /** After a failure: when to try again. */
  readonly notBefore: number;
  /** Failures since the last notice that went. */
  readonly failures: number;
}

/** The right to send on a channel. It ends with its member, and after the time of a lease. */
export interface ChannelClaim extends ChannelState {
  readonly channel: string;
  /** The value that the store compares. */
  readonly token: string;
}

/** What a channel did about one question. */
export interface SentNotice {
  /** The channel, as replies name it. */
  readonly name: string;
  readonly at: number;
  /** Why it could not be sent; null if it went. */
  readonly problem: string | null;
}

export interface NoticeEnd {
  readonly questions: readonly string[];
  readonly name: string;
  readonly problem: string | null;
}

export interface SentNotices {
  /** Oldest first. */
  sentFor(question: string): Promise<readonly SentNotice[]>;
}

export interface NoticeStore extends SentNotices {
  stateOf(channel: string): Promise<ChannelState>;
  /** Null if another member sends on this channel now. */
  claim(channel: string): Promise<ChannelClaim | null>;
  /** Notes what came of it and ends the claim. False if the claim had ended before. */
  finish(claim: ChannelClaim, end: NoticeEnd): Promise<boolean>;
  /** Notes a failure and ends the claim. Nobody tries before this time. */
  retryAt(claim: ChannelClaim, time: number): Promise<boolean>;
  /** Ends the claim. Nothing was sent. */
  release(claim: ChannelClaim): Promise<void>;
}
