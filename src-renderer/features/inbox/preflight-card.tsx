import { isUnnamed } from "#shared/contract/cards/preflight.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { fewNames, outcomeText } from "#shared/domain/project/preflight.ts";
import { checksAsToml } from "#shared/domain/project/preflight-checks.ts";
import { excludingCommand, waysOn } from "#shared/domain/project/ways-on.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { duration } from "../../kit/amounts.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { CardFrame, DecisionButton, useAnswer, useCardDraft } from "./card-frame.tsx";

type Item = ItemOf<"preflight">;
/** The check whose command is being changed. */
type Changed = { readonly command: string; readonly instead: string } | null;

const tones: Readonly<Record<Item["checks"][number]["outcome"], Tone>> = {
  passed: "success",
  failed: "danger",
  "timed-out": "danger",
  missing: "warning",
  "could-not-run": "warning",
};

/** How the project's checks come out before anything is paid for, where that is not plainly green. */
export function PreflightCard({ item }: { readonly item: Item }) {
  const [leftOut, setLeftOut] = useCardDraft<readonly string[]>(item, "left-out", []);
  const [given, setGiven] = useCardDraft(item, "given", "");
  const [changed, setChanged] = useCardDraft<Changed>(item, "changed", null);
  const [write, setWrite] = useCardDraft(item, "write", false);
  const { isBusy, send } = useAnswer(item);
  const commands = given
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const hasProposal = item.proposed.fast.length + item.proposed.slow.length > 0 || commands.length > 0;
  return (
    <CardFrame
      item={item}
      approve={continueWith(item, { commands, leftOut, changed, write })}
      reject={{ label: "Stop the run", reason: null }}
      last={
        <DecisionButton keys="t" disabled={isBusy} onClick={() => void send({ kind: "retry" })}>
          Check again
        </DecisionButton>
      }
    >
      <p className="text-muted">{explanation(item)}</p>
      {item.facts.length > 0 && (
        <ul className="text-sm text-muted">
          {item.facts.map((line) => (
            <li key={line}>{shownText(line)}</li>
          ))}
        </ul>
      )}
      {item.setUpFailures.map((text) => (
        <p key={text} className="text-warning">
          {shownText(text)}
        </p>
      ))}
      <ul className="flex flex-col gap-1.5">
        {item.checks.map((check) => (
          <Check
            key={check.command}
            check={check}
            instead={changed?.command === check.command ? changed.instead : ""}
            onInstead={(instead) =>
              setChanged(instead.trim() === "" ? null : { command: check.command, instead })
            }
            isLeftOut={leftOut.includes(check.command)}
            onLeaveOut={(isOut) =>
              setLeftOut(
                isOut ? [...leftOut, check.command] : leftOut.filter((command) => command !== check.command),
              )
            }
          />
        ))}
      </ul>
      <TextArea
        rows={2}
        aria-label="Custom checks, one command per line"
        placeholder="Custom checks to use instead, one command per line"
        value={given}
        onChange={(event) => setGiven(event.target.value)}
      />
      {hasProposal && (
        <WriteChecks
          item={item}
          isShown={commands.length === 0 && leftOut.length === 0 && changed === null}
          write={write}
          onWrite={setWrite}
        />
      )}
    </CardFrame>
  );
}

/** What the first button does: try checks of one's own, go on without some, or go on as it is. */
function continueWith(
  item: Item,
  {
    commands,
    leftOut,
    changed,
    write,
  }: {
    readonly commands: readonly string[];
    readonly leftOut: readonly string[];
    readonly changed: Changed;
    readonly write: boolean;
  },
): NonNullable<React.ComponentProps<typeof CardFrame>["approve"]> {
  if (changed !== null)
    return {
      label: "Try this command",
      decision: () => ({ kind: "change-check", command: changed.command, instead: changed.instead.trim() }),
    };
  const also = write ? { writeChecks: true } : {};
  if (commands.length > 0)
    return {
      label: commands.length === 1 ? "Try this check" : "Try these checks",
      decision: () => ({ kind: "use-checks", fast: [], slow: [...commands], ...also }),
    };
  if (leftOut.length > 0)
    return {
      label: `Continue without ${leftOut.length === 1 ? "it" : "them"}`,
      decision: () => ({ kind: "leave-out", commands: [...leftOut], ...also }),
    };
  return {
    label: item.troubles.includes("empty") ? "Continue without checks" : "Continue",
    decision: () => ({ kind: "approve", ...also }),
  };
}

interface WriteChecksProps {
  readonly item: Item;
  /** True: what would be written are the proposed ones, and they are shown. */
  readonly isShown: boolean;
  readonly write: boolean;
  readonly onWrite: (write: boolean) => void;
}

function WriteChecks({ item, isShown, write, onWrite }: WriteChecksProps) {
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        className="mt-1"
        checked={write}
        onChange={(event) => onWrite(event.target.checked)}
      />
      <span className="min-w-0 flex-1">
        Write the checks to <code className="font-mono text-sm">.hox/config.toml</code>
        {isShown && (
          <pre className="mt-1 rounded-md border bg-sunken px-2.5 py-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
            {shownText(["[backpressure]", ...checksAsToml(item.proposed)].join("\n"))}
          </pre>
        )}
      </span>
    </label>
  );
}

function explanation({ troubles }: Item): string {
  return [
    ...(troubles.includes("empty")
      ? ["No check was found that can run here. The agents’ work would land unchecked."]
      : []),
    ...(troubles.includes("unproven")
      ? [
          "A check could not run: its report does not show that every test ran. If you continue, it proves nothing, and Hox asks you before a result lands without it.",
        ]
      : []),
    ...(troubles.includes("red")
      ? [
          "Some checks already fail. If you continue, only new failures count, and agents get the list of existing ones.",
        ]
      : []),
    ...(troubles.includes("slow")
      ? ["A check is slow. Agents wait for it, and it can time out when several agents run it at once."]
      : []),
  ].join(" ");
}

function Check({
  check,
  instead,
  onInstead,
  isLeftOut,
  onLeaveOut,
}: {
  readonly check: Item["checks"][number];
  readonly instead: string;
  readonly onInstead: (command: string) => void;
  readonly isLeftOut: boolean;
  readonly onLeaveOut: (isOut: boolean) => void;
}) {
  const count = check.failureCount;
  return (
    <li className="rounded-md border">
      <div className="flex items-center gap-2 px-2.5 py-1.5">
        <Badge tone={tones[check.outcome]}>{outcomeText[check.outcome]}</Badge>
        <span className={isLeftOut ? "font-medium line-through" : "font-medium"}>
          {shownText(check.name)}
        </span>
        <code className="min-w-0 flex-1 truncate font-mono text-xs text-faint" title={check.reason}>
          {shownText(check.command)}
        </code>
        {check.outcome !== "missing" && (
          <span
            className={check.isSlow ? "text-xs text-warning tabular-nums" : "text-xs text-faint tabular-nums"}
          >
            {duration(check.ms)}
          </span>
        )}
        <label className="flex shrink-0 items-center gap-1 text-xs">
          <input type="checkbox" checked={isLeftOut} onChange={(event) => onLeaveOut(event.target.checked)} />
          Leave out
        </label>
      </div>
      {(check.remedy !== null || count !== null || check.outcome !== "passed") && (
        <div className="flex flex-col gap-1 border-t px-2.5 py-1.5 text-sm">
          {check.why !== undefined && <p>{shownText(check.why)}</p>}
          {check.remedy !== null && <p className="text-muted">{shownText(check.remedy)}</p>}
          {count !== null && (
            <p>
              {count} failed: {shownText(fewNames(check.failures ?? [], 10))}
            </p>
          )}
          {isUnnamed(check) && (
            <CheckWays
              name={check.name}
              command={check.command}
              exclude={excludingCommand(check.command, check)}
              instead={instead}
              onInstead={onInstead}
            />
          )}
          {check.output.trim() !== "" && (
            <details>
              <summary className="cursor-default text-xs text-faint">Output</summary>
              <ScrollBox label={`Output of ${shownText(check.name)}`} className="max-h-72">
                <pre className="font-mono text-xs whitespace-pre-wrap" data-selectable>
                  {shownText(check.output)}
                </pre>
              </ScrollBox>
            </details>
          )}
        </div>
      )}
    </li>
  );
}

interface CheckWaysProps {
  readonly name: string;
  readonly command: string;
  /** A command without the part that fails; null where Hox knows none. */
  readonly exclude: string | null;
  /** What runs in its place, as it is typed. */
  readonly instead: string;
  readonly onInstead: (command: string) => void;
  /** Absent where another control says so. */
  readonly onStop?: () => void;
}

/** What can be done about a check that keeps failing or proves nothing, and what each way means. */
export function CheckWays({ name, command, exclude, instead, onInstead, onStop }: CheckWaysProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <ul className="list-disc pl-4 text-sm text-muted">
        <li>{waysOn.narrow}</li>
        <li>
          {waysOn.exclude}
          {exclude !== null && exclude !== instead && (
            <Button look="ghost" size="sm" className="ml-1" onClick={() => onInstead(exclude)}>
              Fill in
            </Button>
          )}
        </li>
        <li>
          {waysOn.stop}
          {onStop !== undefined && (
            <Button look="ghost" size="sm" className="ml-1" onClick={onStop}>
              Stop counting {name}
            </Button>
          )}
        </li>
      </ul>
      <Field label={`Command of ${name} in this run`} hint="It is tried on the base first.">
        <TextInput
          className="font-mono text-xs"
          placeholder={command}
          value={instead}
          onChange={(event) => onInstead(event.target.value)}
        />
      </Field>
    </div>
  );
}
