import type { Failure } from "../client.ts";
import { cx } from "./class-names.ts";

/** A failure and its remedy in one line. */
export const failureText = ({ text, remedy }: Pick<Failure, "text" | "remedy">): string =>
  [text, remedy].flatMap((one) => (one ? [sentence(one)] : [])).join(" ");

/** Ends as a sentence, so that the next one does not run into it. */
const sentence = (text: string): string => (/[.!?…:]["”’)]?$/u.test(text) ? text : `${text}.`);

/** What the host answered instead; its place is kept, so that nothing jumps. */
export const FailureLine = ({
  failure,
  className,
}: {
  readonly failure: Failure | null;
  readonly className?: string;
}) => (
  <p role="alert" className={cx(className, "min-h-5 text-sm text-danger")}>
    {failure && failureText(failure)}
  </p>
);
