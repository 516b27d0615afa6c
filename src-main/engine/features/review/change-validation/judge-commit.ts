/** One panel judges one commit, without a run. */
import type { ValidationView } from "#shared/contract/views/validation.ts";
import { type FirstLook, notLooked } from "#shared/domain/project/first-look.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { Panel } from "#shared/domain/validation/panel.ts";
import { createRedactor, secretsOf } from "../../../../tools/redact.ts";
import { validate } from "../../../../validation/validate.ts";
import type {
  OpenedSeat,
  SeatConversation,
  ValidationOutcome,
} from "../../../../validation/validation-interface.ts";
import { conversationDriver } from "../../../conversations/drivers.ts";
import { roleSettings } from "../../../role-settings.ts";
import { checkOptions } from "../../../workspaces/check-options.ts";
import { setUpCheckouts } from "../../../workspaces/set-up-checkouts.ts";
import type { JudgeHost } from "./judge-host.ts";

export interface Subject {
  readonly commit: string;
  /** Git-format, of all that is judged. */
  readonly diff: string;
  readonly goal: string;
  readonly decisions: readonly { readonly title: string; readonly reason: string }[];
  /** What the project says, and what was learned here, as sections. */
  readonly instructions: PromptText;
  readonly learned: PromptText;
  readonly panel: Panel;
  /** How the checks came out on what it is built on; null: there is nothing to compare with. */
  readonly look: FirstLook | null;
  /** By which votes are told apart from those on anything else. */
  readonly ballot: string;
}

export interface JudgingHooks {
  readonly signal: AbortSignal;
  readonly gate: () => "budget" | null;
  readonly spend: (spent: Spent) => void;
  readonly show: (activity: string) => void;
  readonly voted: (view: ValidationView) => void;
}

/** Characters of the diff that are read for the seats; of these a prompt takes the part that fits. */
export const maxDiffLength = 1_000_000;

export async function judgeCommit(
  host: JudgeHost,
  subject: Subject,
  { signal, gate, spend, show, voted }: JudgingHooks,
): Promise<ValidationOutcome> {
  const { config } = host;
  const places = await setUpCheckouts(host, subject.commit, {
    environment: {},
    signal,
    show,
    failed: (what, detail) => host.appendTranscript("hox", { kind: "notice", text: `${what}. ${detail}` }),
  });
  const open = (seat: string, { system, tools, checkout }: SeatConversation): OpenedSeat => ({
    conversation: conversationDriver(host.driver).start({
      model: subject.panel.seats.find(({ name }) => name === seat)?.model ?? host.model,
      system,
      tools,
      toolContext: {
        agent: seat,
        signal,
        files: checkout.files({ protectedFiles: [] }),
        run: checkout.run,
        environment: {},
        redact: createRedactor([...secretsOf(process.env), ...host.secrets()]).redact,
      },
      requester: `${host.id}/${seat}`,
      ...roleSettings.validator.answers(config),
      maxTurns: config.loopDefaults.maxTurns,
      gate,
      onEntry: () => undefined,
      onSpent: spend,
    }),
    isResumed: false,
  });
  try {
    show("running checks in a fresh checkout");
    return await validate({
      commit: subject.commit,
      run: subject.ballot,
      attempt: 1,
      seats: subject.panel.seats.length,
      panel: subject.panel,
      threshold: config.validation.consensusThreshold,
      evidence: {
        goal: subject.goal,
        plan: null,
        abandoned: [],
        diff: subject.diff,
        decisions: subject.decisions,
        summaries: {},
      },
      converse: async (seat, _, begin) => open(seat, begin),
      ...(host.driver.scheduler ? { scheduler: host.driver.scheduler } : {}),
      checkout: places.checkout,
      async runChecks(place, of) {
        const looked = { ...notLooked, look: subject.look };
        const options = checkOptions({ config, facts: { firstLook: looked } });
        return place
          .checks({ ...options, foundIn: host.home })
          .run({ iteration: 1, all: true, signal: of, environment: {} });
      },
      tell: () => undefined,
      onVote(view) {
        show("validators are reviewing");
        voted(view);
      },
      signal,
      now: host.now,
      seatTimeoutMs: config.validation.seatTimeoutSeconds * 1000,
      commandTimeoutSeconds: config.loopDefaults.commandTimeoutSeconds,
      instructions: subject.instructions,
      learned: subject.learned,
    });
  } finally {
    await places.remove();
  }
}
