/** The agents and models that there are to choose, and whether each could work. */
import { useEffect, useState } from "react";
import { create } from "zustand";
import type { ModelCheckView, StartChoicesView } from "#shared/contract/commands/start.ts";
import type { AgentView } from "#shared/domain/worker/agent-capabilities.ts";
import { parseAgentChoice } from "#shared/domain/worker/agent-choice.ts";
import { client, toFailure } from "../client.ts";
import { useHost } from "./host-store.ts";

type Choices = Pick<StartChoicesView, "agents" | "known">;

const useChoices = create<Choices>(() => ({ agents: [], known: [] }));

/** As the host had them when the repository or a run began to be shown: a menu cannot wait for them. */
export const agentChoices = (): Choices => useChoices.getState();
export const useAgentChoices = (): Choices => useChoices();

/** Asks the host for what there is to choose, for each repository and run that is shown. Mounted once. */
export function useLoadedChoices(): void {
  const repository = useHost((state) => state.repository?.path ?? null);
  const run = useHost((state) => state.run?.id ?? null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run may come after the user has installed an agent
  useEffect(() => {
    if (repository === null) return;
    // Without them a choice can still be typed.
    client.start.choices().then(
      ({ agents, known }) => useChoices.setState({ agents, known }),
      () => undefined,
    );
  }, [repository, run]);
}

/** The agent of another make that a choice names; null: Hox's own. */
export function agentOfChoice({ agents }: Pick<Choices, "agents">, choice: string): AgentView | null {
  const { agent } = parseAgentChoice(
    choice,
    agents.map(({ name }) => name),
  );
  return agents.find(({ name }) => name === agent) ?? null;
}

/** Typing rests for so long before the provider is asked. */
const askAfterMs = 600;

/** What the provider says of each; those that were asked stay known. Asked only where there is a key. */
export function useModelChecks(models: readonly string[]): Readonly<Record<string, ModelCheckView>> {
  const [checks, setChecks] = useState<Readonly<Record<string, ModelCheckView>>>({});
  const hasKey = useHost((state) => state.app?.key.source !== "none");
  const wanted = models.filter((model) => model.trim() !== "" && checks[model] === undefined).join("\n");
  useEffect(() => {
    if (!hasKey || wanted === "") return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      for (const model of wanted.split("\n"))
        client.start
          .checkModel({ model })
          .catch((error: unknown): ModelCheckView => {
            const { text, remedy } = toFailure(error);
            return { outcome: "unreachable", words: text, remedy };
          })
          .then((check) => {
            if (isCurrent) setChecks((before) => ({ ...before, [model]: check }));
          });
    }, askAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [hasKey, wanted]);
  return checks;
}
