import { Tabs } from "@base-ui/react/tabs";
import { useEffect, useState } from "react";
import type { RunView } from "#shared/contract/views/run.ts";
import { useShownComment } from "../../state/comments.ts";
import { useHost } from "../../state/host-store.ts";
import { checkItems, countOpen } from "./check-items.ts";
import { RunChecks } from "./run-checks.tsx";
import { RunOverview } from "./run-overview.tsx";

type Tab = "overview" | "checks";

/** The tab chosen last, kept while the user walks from change to change. */
let lastTab: Tab = "overview";

/** The run as a whole, and what its result waits for. */
export function RunInspector({ run }: { readonly run: RunView }) {
  const [tab, setTab] = useState<Tab>(lastTab);
  const inbox = useHost((state) => state.inbox);
  const open = countOpen(checkItems(run, inbox, null).filter(({ kind }) => kind !== "card"));
  const wanted = useShownComment(({ comment }) => run.comments.find(({ id }) => id === comment));
  const choose = (next: Tab): void => {
    lastTab = next;
    setTab(next);
  };
  useEffect(() => {
    if (wanted) setTab(wanted.thread ? "checks" : "overview");
  }, [wanted]);
  return (
    <Tabs.Root value={tab} onValueChange={choose} className="flex h-full min-h-0 flex-col">
      <Tabs.List aria-label="Views of the run" className="flex shrink-0 border-b px-2">
        {(
          [
            ["overview", "Overview"],
            ["checks", open === 0 ? "Checks" : `Checks ${open}`],
          ] as const
        ).map(([name, label]) => (
          <Tabs.Tab
            key={name}
            value={name}
            className="h-8 shrink-0 border-b-2 border-transparent px-2 text-sm text-muted outline-offset-[-2px] hover:text-text data-[active]:border-accent data-[active]:font-medium data-[active]:text-text"
          >
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab} className="relative min-h-0 flex-1 overflow-y-auto outline-none" tabIndex={-1}>
        {tab === "overview" ? <RunOverview run={run} /> : <RunChecks run={run} />}
      </Tabs.Panel>
    </Tabs.Root>
  );
}
