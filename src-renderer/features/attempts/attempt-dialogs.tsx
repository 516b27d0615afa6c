import { useAttemptDialog } from "../../state/attempts-store.ts";
import { CompareDialog } from "./compare-dialog.tsx";
import { ForkDialog } from "./fork-dialog.tsx";

/** Mounted once, beside the other dialogs. */
export function AttemptDialogs() {
  const open = useAttemptDialog((state) => state.open);
  if (!open) return null;
  if (open.kind === "compare") return <CompareDialog key={open.worker} worker={open.worker} />;
  const { worker, iteration, turn } = open.at;
  return <ForkDialog key={`${worker} ${iteration}.${turn}`} at={open.at} />;
}
