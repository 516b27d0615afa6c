import { Package } from "lucide-react";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { RadioGroup } from "../../kit/field.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { CardFrame, useCardDraft } from "./card-frame.tsx";

type Item = ItemOf<"dependency">;
type Remember = NonNullable<Extract<AnswerTo<"dependency">, { kind: "approve" }>["remember"]> | "once";

/** A package that an agent asks for: what would be run, what it may reach, and whom it would change. */
export function DependencyCard({ item }: { readonly item: Item }) {
  const [remember, setRemember] = useCardDraft<Remember>(item, "remember", "once");
  return (
    <CardFrame
      item={item}
      approve={{
        label: "Install",
        decision: () => (remember === "once" ? { kind: "approve" } : { kind: "approve", remember }),
      }}
      reject={{ label: "Continue without it", reason: "Why not? The agent will read it." }}
    >
      <p className="flex items-center gap-1.5">
        <Package size={14} className="shrink-0 text-muted" aria-hidden />
        <span className="text-muted">
          {item.version === null && "latest version, "}with {item.manager}
          {item.dev && ", as a development dependency"}
          {item.folder !== "" && `, in ${item.folder}`}
        </span>
      </p>
      <p className="whitespace-pre-wrap wrap-anywhere" data-selectable>
        {shownText(item.why)}
      </p>
      {item.others.length > 0 && (
        <p className="text-sm text-muted">
          {item.others.join(", ")} {item.others.length === 1 ? "requests" : "request"} it too.
        </p>
      )}
      <Command item={item} />
      <div className="text-sm">
        <p className="text-muted">Files that change for every agent:</p>
        <ul className="flex flex-col gap-0.5 font-mono">
          {item.files.map((path) => (
            <li key={path}>
              <FileName path={path} />
            </li>
          ))}
        </ul>
      </div>
      <RadioGroup
        label="Scope of the approval"
        value={remember}
        options={choices(item)}
        onChange={setRemember}
      />
    </CardFrame>
  );
}

/** What would be run, and what it may reach. */
function Command({ item }: { readonly item: Item }) {
  return (
    <div className="flex flex-col gap-1">
      <pre
        className="rounded-md border bg-sunken px-2.5 py-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap"
        data-selectable
      >
        {shownText(item.command)}
      </pre>
      {item.isSandboxed ? (
        <p className="text-sm text-muted">
          Runs in a separate sandbox that can reach{" "}
          <span className="font-mono wrap-anywhere" data-selectable>
            {shownText(item.hosts.join(", "))}
          </span>{" "}
          ({shownText(item.hostsFrom)}) and no other host. {item.scripts}
        </p>
      ) : (
        <p className="rounded-md bg-danger-soft px-3 py-2 text-sm text-danger">
          Runs without a sandbox, as you allowed: it can read and change everything that you can.{" "}
          {item.scripts}
        </p>
      )}
    </div>
  );
}

const choices = (item: Item) => [
  { value: "once" as const, label: "This time only" },
  {
    value: "run" as const,
    label: (
      <>
        Also for later requests of <span className="font-medium">{shownText(item.name)}</span> in this run
      </>
    ),
  },
  {
    value: "rule" as const,
    label: (
      <>
        Always: add{" "}
        <code className="font-mono text-sm wrap-anywhere">allow = [&quot;{shownText(item.rule)}&quot;]</code>{" "}
        to <code className="font-mono text-sm">.hox/config.toml</code>
      </>
    ),
  },
];
