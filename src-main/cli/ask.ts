import { createInterface } from "node:readline/promises";
import { shownText } from "#shared/domain/shown-text.ts";

/** One line from the person at the terminal. */
export async function ask(question: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(shownText(question), signal ? { signal } : {});
  } finally {
    lines.close();
  }
}
