import { roles } from "#shared/domain/worker/roles.ts";
import { client } from "../../client.ts";
import { dollars } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { useCountField } from "../../kit/count-field.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { useLimitFields } from "../../kit/limit-fields.tsx";
import { useHost } from "../../state/host-store.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { closeAgentDialog } from "./agent-actions.ts";

/** What one worker may spend, including agents below it, and how long an agent may try. */
export function LimitsDialog({ worker }: { readonly worker: string }) {
  const found = useHost((state) => state.run?.workers.find((one) => one.name === worker));
  const { limits, fields } = useLimitFields({
    tokens: found?.budget.limitTokens ?? null,
    microDollars: found?.budget.limitMicroDollars ?? null,
  });
  const iterations = useCountField({
    label: "Iterations before Hox asks you",
    before: found?.budget.maxIterations ?? 1,
    most: 1_000,
  });
  const { sending, failure, submit } = useSubmit<"setting">();
  const leads = found !== undefined && roles[found.role].isLead;
  const usable = limits !== null && iterations.count !== null && sending === null;
  const set = (): Promise<void> =>
    submit("setting", async () => {
      if (limits === null || iterations.count === null) return;
      await client.run.setWorkerLimits({
        worker,
        ...limits,
        ...(leads || iterations.count === found?.budget.maxIterations
          ? {}
          : { maxIterations: iterations.count }),
      });
      closeAgentDialog();
    });
  return (
    <Dialog
      open
      onClose={closeAgentDialog}
      title={`Budget of ${worker}`}
      description={
        leads
          ? "Applies to this orchestrator and all agents below it. At the limit an agent saves and stops, and a card asks you."
          : "At the limit this agent saves and stops, and a card asks you. Other agents continue."
      }
      actions={
        <>
          <Button onClick={closeAgentDialog}>Cancel</Button>
          <Button look="primary" disabled={!usable} onClick={() => void set()}>
            Set
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (usable) void set();
        }}
      >
        <p className="text-muted tabular-nums">
          Spent so far: {dollars(found?.budget.spent.microDollars ?? 0)}
          {leads ? " including agents below" : ""}.
        </p>
        <div className="grid grid-cols-2 gap-2">{fields}</div>
        {!leads && iterations.field}
        {/* Enter in a field sets them. */}
        <button type="submit" hidden />
        <FailureLine failure={failure} />
      </form>
    </Dialog>
  );
}
