import { type Connection, useConnection } from "../state/connection-store.ts";

/** Failures after which trying again alone is no longer likely to help. */
const patience = 4;

/** One thin line over the lower edge while the host cannot be heard, below what dialogs ask. What is on screen stays. */
export function ConnectionBar() {
  const connection = useConnection((state) => state.connection);
  if (connection.kind === "refused") {
    return (
      <div
        role="alert"
        className="fixed inset-0 z-50 flex flex-col items-center justify-center gap-1.5 bg-canvas px-8 text-center"
      >
        <p className="text-lg font-semibold">{connection.text}</p>
        {connection.remedy && <p className="text-muted">{connection.remedy}</p>}
      </div>
    );
  }
  if (connection.kind !== "lost" && connection.kind !== "silent") return null;
  const { text, remedy } = wordsOf(connection);
  return (
    <div
      role="status"
      className="appear-late fixed bottom-1 left-1/2 z-50 max-w-[calc(100vw-32px)] -translate-x-1/2 rounded-md bg-warning-soft px-3 py-1 text-sm text-warning shadow-pop"
    >
      {text} {remedy}
    </div>
  );
}

const startAgain = "If it no longer runs, start it again; in a browser, open the address that it prints.";

function wordsOf(connection: Extract<Connection, { kind: "lost" | "silent" }>): {
  readonly text: string;
  readonly remedy: string;
} {
  if (connection.kind === "silent")
    return {
      text: "The host does not answer. What you see may be old.",
      remedy: "It goes on by itself; if it no longer runs, start it again.",
    };
  return {
    text: connection.ever
      ? "The connection to the host was cut. What you see may be old."
      : "The host does not answer yet.",
    remedy: connection.failures > patience ? startAgain : "Trying again…",
  };
}
