import { createInterface } from "node:readline/promises";

/** One line from the person at the terminal. */
export async function ask(question: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question, signal ? { signal } : {});
  } finally {
    lines.close();
  }
}
