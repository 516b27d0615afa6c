import { useState } from "react";
import { type Failure, toFailure } from "../client.ts";

interface Submission<Step extends string> {
  /** What was sent and is not answered yet. */
  readonly sending: Step | null;
  /** What the host answered to the last try instead; null while the next is under way. */
  readonly failure: Failure | null;
  /** Sends, and tells the failure where that ends with one. A dialog closes itself at the end of its task. */
  readonly submit: (step: Step, task: () => Promise<void>) => Promise<void>;
}

/** Sending what a form asks for: one thing at a time, with its failure beside it. */
export function useSubmit<Step extends string>(): Submission<Step> {
  const [sending, setSending] = useState<Step | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const submit = async (step: Step, task: () => Promise<void>): Promise<void> => {
    setSending(step);
    setFailure(null);
    try {
      await task();
    } catch (error) {
      setFailure(toFailure(error));
    }
    setSending(null);
  };
  return { sending, failure, submit };
}
