import { useCallback, useEffect, useState } from "react";
import { type ArchangelView, purposeInShort } from "#shared/domain/archangel/archangel.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { dollars } from "../../kit/amounts.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { runsGoing } from "../../state/other-runs.ts";
import { Section } from "./section.tsx";

const isOnOptions = [
  { value: "off", label: "Off" },
  { value: "on", label: "On" },
] as const;

/** Reviewers in the background, each to be switched on for this repository. */
export function ArchangelSettings() {
  const isOpen = useHost((state) => state.repository !== null);
  const { archangels, failure, set } = useArchangels(isOpen);
  if (!isOpen) return null;
  return (
    <Section title="Archangels">
      <p className="mb-2 text-pretty text-muted">
        Background reviewers that comment on lines and suggest tasks without blocking the run. Their cost
        counts towards the run’s budget. Saved in <code className="font-mono text-xs">.hox/config.toml</code>{" "}
        of this repository.
      </p>
      {failure !== null ? (
        <p className="text-danger" role="alert">
          Archangels could not be read: {failure.text} {failure.remedy}
        </p>
      ) : (
        <>
          <WatchRow />
          <ul className="rounded-md border text-sm">
            {archangels.map((archangel) => (
              <ArchangelRow
                key={archangel.name}
                archangel={archangel}
                onSet={(isOn) => set(archangel, isOn)}
              />
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

/** Reviews of the user's own agents, without a run. Off until the user wants it, for it spends. */
function WatchRow() {
  const isOn = useHost((state) => runsGoing(state).some(({ isWatch }) => isWatch));
  const budget = useHost((state) => runsGoing(state).find(({ isWatch }) => isWatch)?.watchBudget);
  const label = "Review my own agents";
  return (
    <div className="mb-2 flex items-start gap-3 rounded-md border px-2.5 py-2 text-sm">
      <div className="min-w-0 flex-1">
        <p className="font-medium">{label}</p>
        <p className="text-pretty text-muted">
          Archangels that wake on session turns review each turn of Claude Code and Codex in this repository,
          even when no run is active.
        </p>
        <p className="mt-0.5 text-xs text-faint">
          {budget
            ? `${dollars(budget.microDollars)} of ${dollars(budget.limit)} spent today`
            : "Daily budget: archangels.max_usd_per_day in .hox/config.toml"}
        </p>
      </div>
      <Segmented
        label={`${label}: on or off`}
        value={isOn ? "on" : "off"}
        options={isOnOptions}
        onChange={(next) =>
          void attempt(`Reviews of your own agents were not switched ${next}`, () =>
            client.archangel.watch({ isOn: next === "on" }),
          )
        }
      />
    </div>
  );
}

function useArchangels(isOpen: boolean) {
  const [archangels, setArchangels] = useState<readonly ArchangelView[]>([]);
  const [failure, setFailure] = useState<Failure | null>(null);
  const read = useCallback(async (): Promise<void> => {
    try {
      setArchangels(await client.archangel.list({ run: useHost.getState().run?.id ?? null }));
      setFailure(null);
    } catch (error) {
      setFailure(toFailure(error));
    }
  }, []);
  useEffect(() => {
    if (isOpen) void read();
  }, [isOpen, read]);
  const set = async ({ name }: ArchangelView, isOn: boolean): Promise<void> => {
    const isDone = await attempt(`${name} was not switched ${isOn ? "on" : "off"}`, () =>
      client.archangel.switch({ name, isOn }),
    );
    // The file is read again in a moment; what was written is known now.
    if (isDone)
      setArchangels((before) =>
        before.map((one) =>
          one.name === name ? { ...one, isOn, state: isOn ? ("sleeping" as const) : ("off" as const) } : one,
        ),
      );
  };
  return { archangels, failure, set };
}

interface ArchangelRowProps {
  readonly archangel: ArchangelView;
  readonly onSet: (isOn: boolean) => Promise<void>;
}

function ArchangelRow({ archangel, onSet }: ArchangelRowProps) {
  const { name, purpose, wakes, model, paths, spent, isOn } = archangel;
  return (
    <li className="flex items-start gap-3 border-b px-2.5 py-2 last:border-b-0" data-archangel={name}>
      <div className="min-w-0 flex-1">
        <p className="font-medium">{name}</p>
        <p className="line-clamp-2 text-pretty text-muted" title={purpose}>
          {purposeInShort(purpose)}
        </p>
        <p className="mt-0.5 text-xs text-faint">
          Wakes on {wakes.map((wake) => wake.replaceAll("_", " ")).join(", ")}
          {paths.length > 0 && ` · watches ${paths.join(", ")}`} · {model}
          {` · ${formatLimits(archangel)}`}
          {spent.requests > 0 && ` · spent ${dollars(spent.microDollars)}`}
        </p>
      </div>
      <Segmented
        label={`${name}: on or off`}
        value={isOn ? "on" : "off"}
        options={isOnOptions}
        onChange={(next) => void onSet(next === "on")}
      />
    </li>
  );
}

const formatLimits = ({ microDollars, tokens }: ArchangelView): string =>
  [
    ...(microDollars == null ? [] : [`max. ${dollars(microDollars)} per run`]),
    ...(tokens == null ? [] : [`max. ${tokens.toLocaleString("en-US")} tokens per run`]),
  ].join(", ") || "no separate budget";
