import { Command, Flag } from "lucide-react";
import { runAgain } from "#shared/domain/run/run-again.ts";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { Tooltip } from "../../kit/tooltip.tsx";
import { registeredPages } from "../../registry/registry.ts";
import { goToInbox } from "../../state/go-to.ts";
import { useHost, usePartOfHost } from "../../state/host-store.ts";
import { openDialog, showPage, useSelection } from "../../state/selection-store.ts";
import { RepositoryMenu } from "../repositories/repository-menu.tsx";
import { WaitingElsewhere } from "../repositories/waiting-elsewhere.tsx";
import { BudgetMeter } from "./budget-meter.tsx";
import { RunControls } from "./run-controls.tsx";
import { RunProgress } from "./run-progress.tsx";
import { RunSwitcher } from "./run-switcher.tsx";
import { StartRunDialog } from "./start-run-dialog.tsx";

/**
 * The upper edge of the window: what is open, what runs, what it costs, and what waits for a person. Each part listens to
 * what it shows: a run has news many times a second, and its buttons none.
 */
export function RunHeader() {
  return (
    <header className="flex h-11 shrink-0 items-center gap-2 border-b bg-surface px-2.5">
      <RepositoryMenu />
      <WaitingElsewhere />
      <RunSwitcher />
      <RunControls />
      <div className="flex min-w-0 flex-1 items-center gap-2.5 overflow-hidden">
        <RunProgress />
        <RehearsalBadge />
      </div>
      <BudgetMeter />
      <PageButtons />
      <InboxButton />
      <IconButton
        label="Command palette"
        keys="mod+k"
        icon={<Command size={15} />}
        onClick={() => openDialog("palette")}
      />
      <StartDialogs />
    </header>
  );
}

function RehearsalBadge() {
  const isRehearsal = useHost(({ run }) => run?.rehearsal != null);
  if (!isRehearsal) return null;
  return (
    <Tooltip text="Rehearsal: only the model responses are scripted. Files, commands, jj, conflicts and votes are real. It costs nothing.">
      {/* In little room what the run does goes before; the status bar says it as well. */}
      <span className="shrink-0 max-[1180px]:hidden">
        <Badge tone="info">Rehearsal</Badge>
      </span>
    </Tooltip>
  );
}

function StartDialogs() {
  const dialog = useSelection((state) => state.dialog);
  if (dialog === "start-run") return <StartRunDialog />;
  return dialog === "run-again" ? <RunAgainDialog /> : null;
}

function RunAgainDialog() {
  const again = usePartOfHost(({ run }) => run && runAgain(run));
  const isThere = useHost(({ run }) => run !== null);
  return isThere && <StartRunDialog again={again} />;
}

const headerPages = () => registeredPages().filter(({ isOfOneChange }) => !isOfOneChange);

/** The ways to what is no part of the graph. */
function PageButtons() {
  const shown = useSelection((state) => state.page);
  return (
    // In little room they are found in the palette and by their keys: what the run does stays.
    <nav aria-label="Pages" className="flex shrink-0 items-center max-[860px]:hidden">
      {headerPages().map(({ id, title, keys, icon }) => (
        <IconButton
          key={id}
          label={title}
          keys={keys}
          icon={icon}
          pressed={shown === id}
          onClick={() => showPage(shown === id ? null : id)}
        />
      ))}
    </nav>
  );
}

function InboxButton() {
  const waiting = useHost((state) => state.inbox.length);
  return (
    <Tooltip text={waiting === 0 ? "Nothing is waiting for you" : "Cards waiting for you"} keys="alt+i">
      <button
        type="button"
        aria-label={`Inbox, ${waiting} waiting`}
        onClick={goToInbox}
        className={`inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-sm tabular-nums ${
          waiting > 0 ? "bg-warning-soft font-medium text-warning" : "text-muted hover:bg-hover"
        }`}
      >
        <Flag size={14} aria-hidden />
        {waiting}
      </button>
    </Tooltip>
  );
}
