import { parentOf } from "./chain-of-command.ts";
import { Interrupted } from "./engine-errors.ts";
import { addressOf, sendMessage, setHandled } from "./messages.ts";
import { mutationShape } from "./mutation-edits.ts";
import { decideMutation } from "./mutations.ts";
import { askOrchestrator } from "./orchestrator.ts";
import { answerShape, type OrchestratorEvent, questionShape } from "./orchestrator-events.ts";
import { prompt, section } from "./prompts.ts";
import type { Exchange } from "./records.ts";
import type { Run } from "./run.ts";

/** Takes down a worker's question before anyone acts on it. */
export function openExchange(
  run: Run,
  question: Pick<Exchange, "from" | "question" | "options" | "blocking"> & { readonly iteration: number },
): Exchange {
  const { iteration, ...asked } = question;
  const taken = run.facts.exchanges.filter(
    (one) => one.from === asked.from && one.question === asked.question,
  );
  const known = taken.find((one) => one.answer === null);
  if (known) return known;
  const exchange: Exchange = {
    ...asked,
    id: `align/${asked.from}/${iteration}/${run.facts.exchanges.length}`,
    answer: null,
  };
  run.note({ exchanges: [...run.facts.exchanges, exchange] });
  run.metrics.alignRequest(asked.from);
  return exchange;
}

/**
 * From a worker's question to its answer: the orchestrator answers, asks the user, or proposes a decision. Every step
 * is kept, so after a restart this goes on with the step that was not finished.
 */
export async function settleExchange(run: Run, id: string): Promise<void> {
  const exchange = run.facts.exchanges.find((one) => one.id === id);
  if (!exchange || exchange.answer !== null) return;
  const { changeId } = run.worker(exchange.from).record;
  const parent = parentOf(run, exchange.from);
  const asked = await sendMessage(run, {
    key: `${id}/ask`,
    from: exchange.from,
    to: parent,
    type: "align-request",
    text: questionText(exchange),
  });

  let event: OrchestratorEvent = "align-request";
  let text = prompt(
    `From: ${exchange.from} (${run.worker(exchange.from).record.title})`,
    section("Question", [exchange.question]),
    section(
      "Options",
      exchange.options.map((option) => `- ${option}`),
    ),
  );
  for (let round = 1; ; round++) {
    const reply = await askOrchestrator(run, parent, `${id}/${round}`, event, text);
    const key = `${id}/${round}`;
    if (reply.tool === "answer_agent") {
      await answerAgent(run, exchange, asked, key, answerShape.parse(reply.value));
      return;
    }
    if (reply.tool === "ask_user") {
      const { question, options } = questionShape.parse(reply.value);
      const decision = await run.inbox.ask(
        `${run.id}/${key}/user`,
        () => ({ kind: "align-request", from: exchange.from, question, options, changeId }),
        run.ending.signal,
      );
      if (decision.kind !== "answer") throw new Interrupted();
      event = "user answered";
      text = prompt(
        `To the question of ${exchange.from}.`,
        section("Question", [question]),
        section("Answer of the user", [decision.text]),
      );
      continue;
    }
    const outcome = await decideMutation(run, {
      orchestrator: parent,
      key,
      proposal: mutationShape.parse(reply.value),
      inReplyTo: asked,
    });
    event = outcome.applied ? "mutation applied" : "mutation rejected";
    text = outcome.applied
      ? prompt(
          `"${outcome.title}" stands below all tasks now.`,
          section(
            "Agents whose work contradicts it; each corrects its own",
            outcome.contradicted.map((worker) => `- ${worker}`),
          ),
          `Answer ${exchange.from} now.`,
        )
      : prompt(
          `"${outcome.title}" was not applied.`,
          section("Why", [outcome.reason]),
          `${exchange.from} still waits.`,
        );
  }
}

async function answerAgent(
  run: Run,
  exchange: Exchange,
  asked: string,
  key: string,
  { agent, answer }: { readonly agent: string; readonly answer: string },
): Promise<void> {
  const others = run.workers.has(agent) && agent !== exchange.from ? [agent] : [];
  for (const to of [exchange.from, ...others])
    await sendMessage(run, {
      key: `${key}/answer/${to}`,
      from: parentOf(run, exchange.from),
      to: addressOf(run, to),
      type: "info",
      text: answer,
      replyTo: asked,
    });
  await run.step(`${key}/handled`, () => setHandled(run, [asked]));
  run.note({
    exchanges: run.facts.exchanges.map((one) => (one.id === exchange.id ? { ...one, answer } : one)),
  });
}

const questionText = ({ question, options }: Exchange): string =>
  options.length === 0 ? question : `${question}\n\n${options.map((option) => `- ${option}`).join("\n")}`;
