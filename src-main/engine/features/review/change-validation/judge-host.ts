/** What judges a commit without a run: the repository's settings, its sandbox, its model, and a place for checkouts. */
import { noUsage } from "#shared/domain/spending/usage.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Config } from "../../../../config/config-interface.ts";
import type { ModelDriver } from "../../../../model/driver-interface.ts";
import { priceOf } from "../../../../model/price-table.ts";
import { explain } from "../../../engine-errors.ts";
import { failureOf } from "../../../kernel/best-effort.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run } from "../../../ports.ts";
import type { LookHost } from "../../../project/look-at-base.ts";
import { roleSettings } from "../../../role-settings.ts";
import { soundConfig } from "../../../start-run.ts";
import { createGitViews } from "../../../workspaces/git-views.ts";
import { panelId, personsFolder, removePanelCheckouts } from "../../../workspaces/set-up-checkouts.ts";
import type { CheckoutHandle } from "../../../workspaces/workspace-interface.ts";

export interface JudgeHost extends LookHost {
  readonly config: Config;
  readonly driver: ModelDriver;
  /** For seats without a model setting. */
  readonly model: string;
  readonly home: CheckoutHandle;
  readonly secrets: () => readonly string[];
}

/** The settings that judge, as the file has them now. @throws EngineRefusal where it has a mistake */
export async function judgingConfig(
  scope: Pick<CommandScope<Run>, "repository" | "stateFolder" | "settings">,
): Promise<{ readonly config: Config; readonly model: string }> {
  const { config, path } = await soundConfig(scope);
  const defaultModel = path === null ? scope.settings().model : config.models.default;
  return { config, model: roleSettings.validator.model(config, "") ?? defaultModel };
}

/**
 * @param models all that will be asked
 * @throws EngineRefusal or the driver's own refusal, before anything is paid
 */
export async function openJudgeHost(
  scope: CommandScope<Run>,
  { config, model }: { readonly config: Config; readonly model: string },
  models: readonly string[],
  ended: AbortController,
): Promise<JudgeHost> {
  // What cannot be counted is not paid.
  for (const one of models) priceOf(noUsage, one);
  const { repository, stateFolder, emit } = scope;
  const driver = await scope.driverFor({ rehearsal: null, apiKeyEnv: config.models.apiKeyEnv });
  const gitViews = createGitViews({ repository, stateFolder, emit, base: () => null });
  const host = {
    id: panelId(scope.newId()),
    stateFolder,
    repository,
    runEnded: ended,
    config,
    gitViews,
    now: scope.now,
    appendTranscript: (_: string, entry: { readonly kind: string; readonly text?: string }) => {
      if (entry.kind === "notice" && entry.text !== undefined) warn({ emit }, shownLine(entry.text));
    },
    sandbox: async () => gitViews.before(await scope.sandbox(config)),
  };
  return {
    ...host,
    driver,
    model,
    home: personsFolder(host),
    secrets: scope.secrets ?? (() => []),
  };
}

/** Removes a judge's files. If that fails it is reported, and the next one removes them. */
export async function closeJudgeHost({ stateFolder, id, appendTranscript }: JudgeHost): Promise<void> {
  const failed = await failureOf(() => removePanelCheckouts(stateFolder, id));
  if (failed) {
    const text = `A temporary checkout could not be removed: ${explain(failed.error).message}`;
    appendTranscript("hox", { kind: "notice", text });
  }
}
