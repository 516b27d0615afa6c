import { afterEach, expect, it, vi } from "vitest";
import { client, type Line, noAnswer, setLine, setSilent, toFailure } from "./client.ts";

afterEach(() => setLine(null));

/** A line on which nothing is ever answered, until it breaks as the library lets go of its calls. */
function deafLine() {
  const asked: string[] = [];
  const calls: ((error: Error) => void)[] = [];
  let isOpen = true;
  const line: Line = {
    link: {
      call: (path) => {
        asked.push(path.join("."));
        return new Promise((_, reject) => calls.push(reject));
      },
    },
    isOpen: () => isOpen,
    close: () => {
      isOpen = false;
      for (const reject of calls)
        reject(new DOMException("[AsyncIdQueue] Queue[2] was closed or aborted", "AbortError"));
    },
  };
  return { line, asked };
}

const failureOf = (call: Promise<unknown>) => call.then(() => null, toFailure);

it("says in words that the connection was cut under a call", async () => {
  const { line } = deafLine();
  setLine(line);
  const failure = failureOf(client.runs.list({}));
  await Promise.resolve();
  line.close();
  expect(await failure).toMatchObject({
    code: noAnswer,
    text: "The connection to Hox was lost before it responded.",
  });
});

it("abandons requests of a silent host, sends it nothing, and resumes when it answers", async () => {
  const { line, asked } = deafLine();
  setLine(line);
  const failure = failureOf(client.runs.list({}));
  await expect.poll(() => asked).toEqual(["runs.list"]);
  setSilent(true);
  expect(await failure).toMatchObject({ code: noAnswer, text: "Hox is not responding." });
  expect(await failureOf(client.run.pause())).toMatchObject({
    code: noAnswer,
    text: "Hox is not responding.",
    remedy: "Nothing was sent. Try again when Hox is connected.",
  });
  expect(asked).toEqual(["runs.list"]);
  setSilent(false);
  void failureOf(client.run.pause());
  await expect.poll(() => asked).toEqual(["runs.list", "run.pause"]);
});

it("says within a second that nothing was sent once a line was cut, and waits longer only while a window opens", async () => {
  setLine(deafLine().line);
  setLine(null);
  vi.useFakeTimers();
  try {
    const failure = failureOf(client.run.pause());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failure).toMatchObject({
      code: noAnswer,
      text: "The window is not connected to Hox.",
      remedy: "Nothing was sent. Try again when Hox is connected.",
    });
  } finally {
    vi.useRealTimers();
  }
});
