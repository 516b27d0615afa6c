import { ChevronDown, ChevronRight, Maximize2 } from "lucide-react";
import { useState } from "react";
import { answerCommand, answersOf } from "#shared/contract/card-answers.ts";
import type { InboxItem } from "#shared/contract/cards.ts";
import { rootOrchestrator } from "#shared/domain/address.ts";
import { dependencyWords } from "#shared/domain/dependencies/request.ts";
import { shownText } from "#shared/domain/shown-text.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { cardTitles } from "../../state/answer.ts";
import { useHost } from "../../state/host-store.ts";
import { AmendmentCard } from "./amendment-card.tsx";
import { BudgetCard } from "./budget-card.tsx";
import { DependencyCard } from "./dependency-card.tsx";
import { DepthCard } from "./depth-card.tsx";
import { FirstLookCard } from "./first-look-card.tsx";
import { FoldCard } from "./fold-card.tsx";
import { LandCard } from "./land-card.tsx";
import { MutationCard } from "./mutation-card.tsx";
import { PatternCard } from "./pattern-card.tsx";
import { PlanCard } from "./plan-card.tsx";
import { ProtectedCard } from "./protected-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { SandboxCard } from "./sandbox-card.tsx";
import { TroubleCard } from "./trouble-card.tsx";
import { VotesCard } from "./votes-card.tsx";

const tones: Readonly<Record<InboxItem["kind"], Tone>> = {
  plan: "accent",
  depth: "warning",
  amendment: "accent",
  "align-request": "info",
  mutation: "warning",
  budget: "danger",
  votes: "warning",
  fold: "accent",
  pattern: "accent",
  land: "success",
  protected: "warning",
  dependency: "warning",
  "first-look": "warning",
  sandbox: "danger",
  trouble: "danger",
};

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Plans of several parts may wait at once, so each says whose it is. */
const partOf = (orchestrator: string | undefined): string =>
  orchestrator === undefined || orchestrator === rootOrchestrator ? "" : `${orchestrator}: `;

/** What the card is about, in one line. */
export function headline(item: InboxItem): string {
  switch (item.kind) {
    case "plan":
      return `${partOf(item.orchestrator)}${counted(item.plan.tasks.length, "task")} in ${counted(item.plan.phases.length, "phase")}`;
    case "depth":
      return `Orchestrators on level ${item.level}?`;
    case "amendment":
      return item.tasks.map((task) => task.title).join(", ");
    case "align-request":
      return item.question;
    case "mutation":
      return item.title;
    case "budget":
      return item.worker === null ? "The budget is used up" : `The budget of ${item.worker} is used up`;
    case "votes":
      return "The validators do not agree";
    case "fold":
      return item.title;
    case "pattern":
      return item.name;
    case "land":
      return "Ready to land";
    case "protected":
      return item.paths.length === 1 ? (item.paths[0] ?? "") : counted(item.paths.length, "protected file");
    case "dependency":
      return dependencyWords(item);
    case "first-look":
      return item.troubles.includes("empty")
        ? "Nothing checks the work"
        : item.troubles.includes("red")
          ? "Checks are red before the run begins"
          : "Checks take long";
    case "sandbox":
      return "Commands without a sandbox?";
    case "trouble":
      return item.title;
  }
}

const sender = (item: InboxItem): string | null => {
  // The root's plan is the run's own.
  if (item.kind === "plan")
    return item.orchestrator === rootOrchestrator ? null : (item.orchestrator ?? null);
  if (
    item.kind === "align-request" ||
    item.kind === "mutation" ||
    item.kind === "fold" ||
    item.kind === "depth" ||
    item.kind === "dependency" ||
    item.kind === "amendment"
  )
    return item.from;
  return item.kind === "trouble" || item.kind === "protected" ? item.worker : null;
};

interface InboxCardProps {
  readonly item: InboxItem;
  readonly open: boolean;
  readonly onOpen: () => void;
}

export function InboxCard({ item, open, onOpen }: InboxCardProps) {
  const [large, setLarge] = useState(false);
  const from = sender(item);
  return (
    <article
      aria-label={`${cardTitles[item.kind]}: ${headline(item)}`}
      data-inbox-kind={item.kind}
      className={
        open
          ? "rounded-lg border border-line-strong bg-surface shadow-[0_1px_3px_rgb(0_0_0/0.06)]"
          : "rounded-lg border bg-surface"
      }
    >
      <header className="flex items-center gap-2 px-3 py-2">
        <h3 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={open}
            onClick={onOpen}
            className="flex w-full min-w-0 items-center gap-2 rounded-sm text-left"
          >
            {open ? (
              <ChevronDown size={14} className="shrink-0 text-faint" aria-hidden />
            ) : (
              <ChevronRight size={14} className="shrink-0 text-faint" aria-hidden />
            )}
            <Badge tone={tones[item.kind]}>{cardTitles[item.kind]}</Badge>
            {from && <Avatar name={from} />}
            <span className="min-w-0 flex-1 truncate font-medium">{shownText(headline(item))}</span>
          </button>
        </h3>
        <RelativeTime at={item.at} className="shrink-0 text-xs text-faint" />
        {open && (
          <IconButton
            label="Open large"
            className="size-6"
            icon={<Maximize2 size={13} />}
            onClick={() => setLarge(true)}
          />
        )}
      </header>
      {open && !large && <CardBody item={item} />}
      {open && !large && <InTerminal item={item} />}
      {large && (
        <Dialog
          open
          onClose={() => setLarge(false)}
          title={headline(item)}
          description={cardTitles[item.kind]}
          width="w-[960px]"
        >
          <div className="-mx-3 h-full">
            <CardBody item={item} wide />
          </div>
        </Dialog>
      )}
    </article>
  );
}

/** The same decision from a terminal, for whoever works there. */
function InTerminal({ item }: { readonly item: InboxItem }) {
  const number = useHost((state) => state.inbox.findIndex(({ id }) => id === item.id)) + 1;
  if (number === 0) return null;
  const answers = answersOf(item);
  const words = answers.map(({ typed, does }) => `${typed}: ${does}`).join("\n");
  const first = answers[0];
  return first === undefined ? null : (
    <p className="truncate px-3 pb-2 text-xs text-faint" title={words}>
      In a terminal: <code className="font-mono">{answerCommand(number, first)}</code>
    </p>
  );
}

function CardBody({ item, wide = false }: { readonly item: InboxItem; readonly wide?: boolean }) {
  switch (item.kind) {
    case "plan":
      return <PlanCard item={item} />;
    case "depth":
      return <DepthCard item={item} />;
    case "amendment":
      return <AmendmentCard item={item} />;
    case "align-request":
      return <QuestionCard item={item} />;
    case "mutation":
      return <MutationCard item={item} wide={wide} />;
    case "budget":
      return <BudgetCard item={item} />;
    case "votes":
      return <VotesCard item={item} />;
    case "fold":
      return <FoldCard item={item} wide={wide} />;
    case "pattern":
      return <PatternCard item={item} />;
    case "land":
      return <LandCard item={item} />;
    case "protected":
      return <ProtectedCard item={item} wide={wide} />;
    case "dependency":
      return <DependencyCard item={item} />;
    case "first-look":
      return <FirstLookCard item={item} />;
    case "sandbox":
      return <SandboxCard item={item} />;
    case "trouble":
      return <TroubleCard item={item} />;
  }
}
