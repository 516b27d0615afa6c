import { type Connection, useConnection } from "../state/connection-store.ts";

/** Failures after which trying again alone is no longer likely to help. */
const patience = 4;

/** One thin line below the header while the host cannot be heard, below what dialogs ask. What is on screen stays. */
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
  const { text, remedy } = connectionText(connection);
  return (
    <div
      role="status"
      className="appear-late fixed top-12 left-1/2 z-50 max-w-[calc(100vw-32px)] -translate-x-1/2 rounded-md bg-warning-soft px-3 py-1 text-sm text-warning shadow-pop"
    >
      {text} {remedy}
    </div>
  );
}

const startAgain = "If Hox has stopped, restart it; in a browser, open the address that it prints.";

function connectionText(connection: Extract<Connection, { kind: "lost" | "silent" }>): {
  readonly text: string;
  readonly remedy: string;
} {
  if (connection.kind === "silent")
    return {
      text: "Hox is not responding. This view may be out of date.",
      remedy: "Reconnecting… If Hox has stopped, restart it.",
    };
  return {
    text: connection.ever
      ? "The connection to Hox was lost. This view may be out of date."
      : "Hox is not responding yet.",
    remedy: connection.failures > patience ? startAgain : "Reconnecting…",
  };
}
