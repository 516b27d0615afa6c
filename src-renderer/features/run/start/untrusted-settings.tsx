import { useState } from "react";
import type { UntrustedSetting } from "#shared/contract/commands/start.ts";
import type { CommandInput } from "#shared/contract/commands.ts";
import { counted, startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../../client.ts";
import { Button } from "../../../kit/button.tsx";
import { ScrollBox } from "../../../kit/scroll-box.tsx";
import { useHost } from "../../../state/host-store.ts";
import { attempt } from "../../../state/notify.ts";
import { rootOf, runsGoing } from "../../../state/other-runs.ts";

type Answer = CommandInput<"start.answerSettings">["answer"];

function focusOn(element: HTMLElement | null): void {
  element?.focus();
}

/** Settings of the repository that are not in force until you trust them; the run can start without. */
export function UntrustedSettings({ settings }: { readonly settings: readonly UntrustedSetting[] }) {
  const [answered, setAnswered] = useState<Answer | null>(null);
  const asked = settings.filter(({ isIgnored }) => !isIgnored);
  if (asked.length === 0) return null;
  const give = (answer: Answer): void => {
    void attempt("The settings were not changed", () =>
      client.start.answerSettings({ texts: asked.map(({ text }) => text), answer }),
    ).then((isDone) => {
      if (isDone) setAnswered(answer);
    });
  };
  if (answered !== null)
    return (
      // The button that had the focus is gone: without this the dialog takes the focus a frame later.
      <p ref={focusOn} tabIndex={-1} role="status" className="text-sm text-muted outline-none">
        {answered === "trust"
          ? "You trust the settings of this repository. If one changes, Hox asks again."
          : "Hox ignores these settings of the repository. `hox trust` shows them again."}
      </p>
    );
  return (
    <section
      aria-label="Settings of this repository"
      className="flex flex-col gap-2 rounded-md bg-warning-soft px-3 py-2 text-warning"
    >
      <p>
        This repository’s .hox/config.toml has {counted(asked.length, "setting")} that would loosen your
        limits. Hox does not use {asked.length === 1 ? "it" : "them"} unless you trust{" "}
        {asked.length === 1 ? "it" : "them"}.
      </p>
      <ScrollBox label="Settings that are not in force" className="max-h-40">
        <ul className="flex flex-col gap-1.5">
          {asked.map(({ text, allows }) => (
            <li key={text}>
              <p className="font-medium">{shownLine(allows)}</p>
              <code className="block break-words font-mono text-sm">{shownLine(text)}</code>
            </li>
          ))}
        </ul>
      </ScrollBox>
      <div className="flex gap-2">
        <Button onClick={() => give("trust")}>Trust these settings</Button>
        <Button onClick={() => give("ignore")}>Ignore them</Button>
      </div>
    </section>
  );
}

/** Other active runs while one starts, and what follows from that. */
export function OtherRuns() {
  const run = useHost((state) => state.run);
  const otherRuns = useHost((state) => state.otherRuns);
  const going = runsGoing({ run, otherRuns });
  if (going.length === 0) return null;
  return (
    <div
      role="note"
      aria-label="Runs in progress"
      className="rounded-md bg-info-soft px-3 py-2 text-sm text-info"
    >
      <p>
        {going.length === 1 ? "Another run is in progress" : `${going.length} other runs are in progress`}.
        This run works in parallel: its plan may only claim files that no other run works on, and asks you
        about overlaps. All runs share this machine’s agent slots.
      </p>
      <ul className="mt-1">
        {going.map((one) => (
          <li key={one.id} className="truncate">
            <span className="font-medium">{rootOf(one)}</span> {shownLine(startOf(one.goal, 120))}
          </li>
        ))}
      </ul>
    </div>
  );
}
