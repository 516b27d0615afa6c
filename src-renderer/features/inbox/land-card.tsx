import { useId } from "react";
import { decisionKeys } from "#shared/contract/cards/card.ts";
import { goneBranchText, unprovenChecks } from "#shared/contract/cards/land.ts";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { bookmarkNameProblem } from "#shared/domain/change-metadata/address.ts";
import type { LandingHistory } from "#shared/domain/change-metadata/landing-text.ts";
import { forgeNames } from "#shared/domain/forge/forge-facts.ts";
import type { LandingForm } from "#shared/domain/landing/publication.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { Button } from "../../kit/button.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { LineCounts } from "../../kit/line-diff.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { inspect } from "../../state/selection-store.ts";
import {
  CardFrame,
  DecisionButton,
  ReasonForm,
  RepairHint,
  useAnswer,
  useCardDraft,
  withText,
} from "./card-frame.tsx";
import { changedTitles, LandDrafts, type Titles } from "./land-drafts.tsx";
import { Brought, Checks, Missing, Overruled, ProtectedPaths, Votes } from "./land-evidence.tsx";

/** Exactly what will move, before it moves, and what speaks for and against it. */
export function LandCard({ item }: { readonly item: ItemOf<"land"> }) {
  const [bookmark, setBookmark] = useCardDraft(item, "bookmark", suggestedBranch(item));
  const [history, setHistory] = useCardDraft<LandingHistory>(item, "history", item.history);
  const isWhole = item.missing.length === 0;
  const name = bookmark.trim();
  const known = item.bookmarks.includes(name);
  // A bookmark that is there already has a name that it can have.
  const problem = known || name === "" ? null : bookmarkNameProblem(name);
  const isUnnamed = name === "" || problem !== null;
  const [form, setForm] = useCardDraft<LandingForm>(item, "form", item.forge?.form ?? "branch");
  const [titles, setTitles] = useCardDraft<Titles>(item, "titles", noTitles);
  const drafts = form === "branch" ? [] : (item.forge?.drafts[form] ?? []);
  const own = changedTitles(drafts, titles);
  // What is reviewed is copied: the changes themselves are worked on again.
  const landed = form !== "branch" && history === "changes" ? "tasks" : history;
  const land = {
    kind: "approve" as const,
    ...{ bookmark: name, history: landed },
    ...(item.forge === undefined ? {} : { form }),
    ...(Object.keys(own).length === 0 ? {} : { titles: own }),
  };
  const evidence = (
    <>
      <Evidence item={item} />
      {item.goneBranch !== undefined && (
        <p className="text-sm text-pretty text-warning" role="status" data-selectable>
          {goneBranchText(item)}
        </p>
      )}
      {item.forge !== undefined && <FormField forge={item.forge} form={form} onForm={setForm} />}
      <BookmarkField item={item} {...{ bookmark, problem, form }} onBookmark={setBookmark} />
      {item.inTheWay && name === item.suggested && (
        <p className="text-sm text-pretty text-warning" role="status" data-selectable>
          {item.inTheWay}
        </p>
      )}
      {form !== "stack" && <HistoryField form={form} history={landed} onHistory={setHistory} />}
      {form !== "stack" && <Commits commits={item.commits[landed]} />}
      {form !== "branch" && item.forge !== undefined && (
        <LandDrafts
          forge={item.forge}
          base={name}
          workers={form === "stack" ? item.commits.tasks.map(({ worker }) => worker) : []}
          {...{ form, titles }}
          onTitles={setTitles}
        />
      )}
      <Files item={item} />
    </>
  );
  if (!isWhole || unprovenChecks(item).length > 0)
    return (
      <LackingResult item={item} canRepair={!isWhole} land={isUnnamed ? null : land}>
        {evidence}
      </LackingResult>
    );
  return (
    <CardFrame
      item={item}
      approve={{
        label: landLabels[form](name),
        disabled: isUnnamed,
        decision: () => land,
      }}
      reject={{ label: "Do not land", reason: null }}
    >
      {evidence}
    </CardFrame>
  );
}

const noTitles: Titles = {};

interface LackingResultProps {
  readonly item: ItemOf<"land">;
  /** False: work of tasks is missing, or the checks prove nothing; neither can be repaired here. */
  readonly canRepair: boolean;
  /** How it would land; null: the branch has no usable name yet. */
  readonly land: Extract<AnswerTo<"land">, { kind: "approve" }> | null;
  readonly children: React.ReactNode;
}

/** Work of tasks is missing from it, or a check proves nothing: repaired, or landed with a reason. */
function LackingResult({ item, canRepair, land, children }: LackingResultProps) {
  const [words, setText] = useCardDraft(item, "words", "");
  const [isLanding, setLanding] = useCardDraft(item, "landing", false);
  const { isBusy, send } = useAnswer(item);
  const repair = { kind: "repair", ...withText(words) } as const;
  if (isLanding && land !== null)
    return (
      <CardFrame item={item}>
        {children}
        <ReasonForm
          item={item}
          label={canRepair ? `Land on ${land.bookmark} without it` : `Land on ${land.bookmark} anyway`}
          question={`Why land it ${canRepair ? "without this work" : "although these checks prove nothing"}? Your reason is recorded on the change.`}
          isRequired
          isBusy={isBusy}
          onCancel={() => setLanding(false)}
          onSend={(without) => void send({ ...land, without })}
        />
      </CardFrame>
    );
  if (!canRepair)
    return (
      <CardFrame
        item={item}
        first={
          <DecisionButton
            look="primary"
            keys={decisionKeys.approve}
            disabled={land === null}
            onClick={() => setLanding(true)}
          >
            Land anyway…
          </DecisionButton>
        }
        reject={{ label: "Do not land", reason: null }}
      >
        {children}
      </CardFrame>
    );
  return (
    <CardFrame
      item={item}
      first={<RepairHint value={words} onChange={setText} onSend={() => void send(repair)} />}
      approve={{ label: "Repair", decision: () => repair }}
      reject={{ label: "Do not land", reason: null }}
      last={
        <Button disabled={land === null} onClick={() => setLanding(true)}>
          Land anyway…
        </Button>
      }
    >
      {children}
    </CardFrame>
  );
}

const Evidence = ({ item }: { readonly item: ItemOf<"land"> }) => (
  <>
    <Missing works={item.missing} />
    <Overruled overruled={item.overruled} />
    <Votes item={item} />
    <Checks item={item} />
    <Brought item={item} />
    <ProtectedPaths paths={item.protectedPaths} />
  </>
);

/** None where the branch is gone and no other one is it. */
const suggestedBranch = ({ suggested, bookmarks, goneBranch }: ItemOf<"land">): string =>
  suggested ?? (goneBranch === undefined ? bookmarks[0] : undefined) ?? "";

const landLabels: Readonly<Record<LandingForm, (name: string) => string>> = {
  branch: (name) => (name === "" ? "Land" : `Land on ${name}`),
  pull_request: () => "Open draft",
  stack: () => "Open drafts",
};

interface FormFieldProps {
  readonly forge: NonNullable<ItemOf<"land">["forge"]>;
  readonly form: LandingForm;
  readonly onForm: (form: LandingForm) => void;
}

/** Where it goes; what will appear there is said before anything is pushed. */
const FormField = ({ forge, form, onForm }: FormFieldProps) => (
  <div className="flex flex-col gap-1 text-sm">
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-muted">Goes to</span>
      <Segmented
        label="Where it goes"
        value={form}
        onChange={onForm}
        options={[
          { value: "branch", label: "A branch here" },
          { value: "pull_request", label: "A pull request" },
          { value: "stack", label: "One per task" },
        ]}
      />
    </div>
    {form !== "branch" && (
      <p className="text-xs text-pretty text-muted">
        {form === "stack"
          ? "Pushes a branch for each commit and opens a draft from each, on top of the one below it"
          : "Pushes a branch with these commits and opens a draft from it"}
        , in {shownName(forge.repository)} on {forgeNames[forge.kind]}. Reviews and failed checks come back to
        the agents.
      </p>
    )}
  </div>
);

interface HistoryFieldProps {
  readonly form: LandingForm;
  readonly history: LandingHistory;
  readonly onHistory: (history: LandingHistory) => void;
}

const HistoryField = ({ form, history, onHistory }: HistoryFieldProps) => (
  <div className="flex flex-wrap items-center gap-2 text-sm">
    <span className="text-muted">Lands as</span>
    <Segmented
      label="How it lands"
      value={history}
      onChange={onHistory}
      options={[
        ...(form === "branch" ? [{ value: "changes" as const, label: "All changes" }] : []),
        { value: "tasks", label: "One per task" },
        { value: "one", label: "One commit" },
      ]}
    />
  </div>
);

function Commits({ commits }: { readonly commits: ItemOf<"land">["commits"][LandingHistory] }) {
  return (
    <ScrollBox label="Commits that land" className="max-h-40 rounded-md border text-sm">
      <ol>
        {commits.toReversed().map(({ title, worker }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two commits may have the same title, and their order is what they are
          <li key={at} className="flex items-center gap-3 border-b px-2.5 py-1 last:border-b-0">
            <span className="min-w-0 flex-1 truncate" title={shownLine(title)}>
              {shownLine(title)}
            </span>
            {worker !== null && <span className="shrink-0 text-xs text-muted">{shownName(worker)}</span>}
          </li>
        ))}
      </ol>
    </ScrollBox>
  );
}

function Files({ item: { diffStat, changeId } }: { readonly item: ItemOf<"land"> }) {
  const added = diffStat.reduce((sum, file) => sum + file.added, 0);
  const removed = diffStat.reduce((sum, file) => sum + file.removed, 0);
  return (
    <>
      <div className="flex items-center gap-2 text-sm">
        <span className="text-muted">{counted(diffStat.length, "file")}</span>
        <LineCounts added={added} removed={removed} />
        <Button look="ghost" size="sm" onClick={() => inspect(changeId)}>
          Show the change
        </Button>
      </div>
      <ScrollBox label="Files that land" className="max-h-56 rounded-md border text-sm">
        <ul>
          {diffStat.map((file) => (
            <li key={file.path} className="flex items-center gap-3 border-b px-2.5 py-1 last:border-b-0">
              <FileName path={file.path} className="flex-1 font-mono text-xs" />
              <LineCounts added={file.added} removed={file.removed} />
            </li>
          ))}
        </ul>
      </ScrollBox>
    </>
  );
}

interface BookmarkFieldProps {
  readonly item: ItemOf<"land">;
  readonly bookmark: string;
  readonly problem: string | null;
  readonly form: LandingForm;
  readonly onBookmark: (bookmark: string) => void;
}

function BookmarkField({ item, bookmark, problem, form, onBookmark }: BookmarkFieldProps) {
  const known = useId();
  const isHere = form === "branch";
  return (
    <Field
      label={isHere ? "Bookmark" : "Base branch"}
      error={problem}
      hint={isHere ? whereTo(item, bookmark.trim()) : "It moves when the pull request is merged"}
    >
      <TextInput list={known} value={bookmark} onChange={(event) => onBookmark(event.target.value)} />
      <datalist id={known}>
        {item.bookmarks.map((other) => (
          <option key={other} value={other} />
        ))}
      </datalist>
    </Field>
  );
}

/** What landing on a bookmark of that name does. */
function whereTo({ bookmarks, standsOn }: ItemOf<"land">, name: string): string {
  if (name === "") return "Choose where the result goes";
  if (!bookmarks.includes(name)) return `Creates branch ${name}`;
  return name === standsOn
    ? `You are on ${name}: your folder moves with it, and your own edits are kept`
    : `${name} moves to this change`;
}
