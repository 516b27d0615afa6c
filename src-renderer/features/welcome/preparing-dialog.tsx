import { Dialog } from "../../kit/dialog.tsx";
import { useHost } from "../../state/host-store.ts";
import { CancelRehearsal, RehearsalSteps } from "./rehearsal-steps.tsx";
import { cancelRehearsal, usePreparing } from "./start-rehearsal.ts";

/** How far a rehearsal is that was begun over an open repository; the welcome shows it in its own place. */
export function PreparingDialog() {
  const { name, over } = usePreparing();
  const here = useHost((state) => state.repository?.path ?? null);
  const title = useHost((state) => state.app?.rehearsals.find((one) => one.name === name)?.title ?? "");
  if (name === null || over === null || over !== here) return null;
  return (
    <Dialog
      open
      onClose={() => void cancelRehearsal()}
      title="Preparing a rehearsal"
      description={title}
      width="w-[420px]"
      actions={<CancelRehearsal title={title} />}
    >
      <RehearsalSteps />
    </Dialog>
  );
}
