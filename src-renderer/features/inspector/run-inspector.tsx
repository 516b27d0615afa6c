import { Tabs } from "@base-ui/react/tabs";
import { useEffect, useState } from "react";
import type { RunView } from "#shared/contract/views/run.ts";
import { useShownComment } from "../../state/comments.ts";
import { useHost } from "../../state/host-store.ts";
import { checkItems, countOpen } from "./check-items.ts";
import { RunChecks } from "./run-checks.tsx";
import { RunOverview } from "./run-overview.tsx";
import { TabList } from "./tab-list.tsx";

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
      <TabList
        label="Views of the run"
        tabs={[
          ["overview", "Overview"],
          ["checks", open === 0 ? "Checks" : `Checks ${open}`],
        ]}
      />
      <Tabs.Panel value={tab} className="relative min-h-0 flex-1 overflow-y-auto outline-none" tabIndex={-1}>
        {tab === "overview" ? <RunOverview run={run} /> : <RunChecks run={run} />}
      </Tabs.Panel>
    </Tabs.Root>
  );
}
