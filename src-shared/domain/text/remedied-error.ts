/** An error whose message says what failed and why, with what to do about it. */
export class RemediedError<Remedy extends string | null = string> extends Error {
  override readonly name: string = "RemediedError";
  readonly remedy: Remedy;
  constructor(message: string, remedy: Remedy, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** What to do about something that was thrown; null where it does not say so. */
export function remedyOf(error: unknown): string | null {
  const remedy = typeof error === "object" && error !== null && "remedy" in error ? error.remedy : null;
  return typeof remedy === "string" && remedy !== "" ? remedy : null;
}
