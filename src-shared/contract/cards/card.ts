/** What every card has, beside what its kind shows. */
export interface CardBase {
  readonly id: string;
  readonly run: string;
  readonly at: number;
  /** One-time; an answer must carry it and the hash of what was shown. */
  readonly nonce: string;
  readonly shown: string;
}
