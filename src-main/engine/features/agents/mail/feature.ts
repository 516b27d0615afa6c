import { createHash } from "node:crypto";
import { z } from "zod";
import { addressMatches, isAddress, isRoot, matchesAddress } from "#shared/domain/change-metadata/address.ts";
import { inOneLine } from "#shared/domain/merge-request/merge-request.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { updatesFor } from "#shared/domain/updates/update-events.ts";
import { isAtWork, roles } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import { inform } from "../../../kernel/notify.ts";
import {
  addressOf,
  allMessages,
  hasUnread,
  listenersTo,
  markDelivered,
  markHandled,
  messagesFor,
  messageView,
  queuedUpdates,
  sendMessage,
  setHandled,
  user,
} from "../../../orchestrators/messages.ts";
import { askOrchestrator, inTurn } from "../../../orchestrators/orchestrator.ts";
import { askAndExecute } from "../../../orchestrators/orchestrator-replies.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isActive, isWatch, orchestratorsOf, parentOf, rootOf } from "../../../workers/hierarchy.ts";
import { refuseFinished, refuseInactive } from "../../../workers/steerable.ts";

/** Refuses messages without a recipient. */
function refuseUnheard(run: RunReader, address: string): void {
  if (listenersTo(run, address).length > 0) return;
  const orchestrators = orchestratorsOf(run).filter((name) => isActive(run, name));
  if (orchestrators.some((name) => addressMatches(address, name))) return;
  throw new EngineRefusal(
    `No active agent matches ${address}.`,
    `Use one of: ${orchestrators.map((name) => `${name} or ${name}/*`).join(", ")}.`,
  );
}

const informShape = z.strictObject({
  to: z
    .string()
    .refine(isAddress, "must be an address: orchestrators (O-B-2, O-B-*, O-*) or agents of yours (O-A-1/*)"),
  text: z.string().min(1).max(20_000),
});

/**
 * Lets an orchestrator write to its peers and to its own agents in the middle of whatever it was asked. The same words
 * are sent once. (HOX-4.2, HOX-4.3)
 */
function informTool(run: Run, name: string): Tool {
  const toOthers = isRoot(name) ? ", also of another run (O-A-2, O-A-*)" : "";
  return {
    name: "inform",
    description: `Sends others information that they may need: \`to\` is an orchestrator (O-B-2), a pattern (O-B-*, O-*)${toOthers}, one of your agents (${name}/agent-2) or all of them (${name}/*). Use it for facts that change what they do. It gets no answer; continue with what you were asked.`,
    input: informShape,
    writes: true,
    async run(input) {
      const { to, text } = informShape.parse(input);
      const ofAgents = to.includes("/");
      const reached = ofAgents
        ? listenersTo(run, to)
        : orchestratorsOf(run).filter(
            (one) => one !== name && matchesAddress(to, { orchestrator: one, agent: null }),
          );
      // Agents hear from their own parent only.
      if (ofAgents && !to.startsWith(`${name}/`)) {
        const parent = to.split("/")[0] ?? to;
        return {
          ok: false,
          error: "not-allowed",
          output: `${to} is not in your part: only their own orchestrator writes to agents. Tell ${parent}.`,
        };
      }
      const runs = ofAgents ? [] : otherRunsReached(run, name, to);
      if (reached.length + runs.length === 0)
        return {
          ok: false,
          error: "not-found",
          output: ofAgents
            ? `No agent works below ${to}. Your agents are: ${listenersTo(run, `${name}/*`).join(", ") || "none"}.`
            : `No other orchestrator is called ${to}. There are: ${[...orchestratorsOf(run), ...otherRootsFor(run, name).map(rootOf)].join(", ")}.`,
        };
      const words = createHash("sha256").update(`${to}\n${text}`).digest("hex").slice(0, 16);
      const message = { key: `inform/${name}/${words}`, from: name, to, type: "info", text } as const;
      // Each run keeps what its own orchestrators read.
      for (const one of [...(reached.length > 0 ? [run] : []), ...runs]) await sendMessage(one, message);
      return { ok: true, output: `Sent to ${[...reached, ...runs.map(rootOf)].join(", ")}.` };
    },
  };
}

/** Other active runs that can be written to: they have a base for messages. Only a root speaks for its run. */
const otherRootsFor = (run: Run, name: string): readonly Run[] =>
  isRoot(name)
    ? run.others().filter((other) => !isWatch(other) && other.orchestratorFacts(rootOf(other)).base !== null)
    : [];

const otherRunsReached = (run: Run, name: string, to: string): readonly Run[] =>
  otherRootsFor(run, name).filter((other) => addressMatches(to, rootOf(other)));

/** Read ones on the graph: with more than `most` the oldest go, until `kept` are left. */
export const readOnGraph = { most: 24, kept: 12 };

interface ToPutAway {
  /** To be kept in the record first. */
  readonly messages: readonly MessageView[];
  /** To be abandoned: these, and what a host that died between the two left behind. */
  readonly changes: readonly Change[];
}

/**
 * Messages that all recipients have read and that can be archived before they clutter the graph; the run's
 * record keeps them for later readers. (HOX-4.2)
 *
 * Empty while there are few.
 */
export function messagesToPutAway({ id, changes, facts }: RunReader): ToPutAway {
  const kept = new Set(facts.putAwayMessages.map(({ changeId }) => changeId));
  const open = [...changes.values()].filter(
    ({ metadata }) => metadata.kind === "message" && metadata.run === id,
  );
  const left = open.filter(({ changeId }) => kept.has(changeId));
  const carriers = new Set([...changes.values()].flatMap(({ parents }) => parents));
  const read = open.filter(
    ({ changeId, commitId, metadata }) =>
      metadata.status === "done" && !kept.has(changeId) && !carriers.has(commitId),
  );
  if (read.length <= readOnGraph.most) return { messages: [], changes: left };
  const oldest = read
    .toSorted(
      (one, other) => sentAt(facts, one) - sentAt(facts, other) || (one.changeId < other.changeId ? -1 : 1),
    )
    .slice(0, read.length - readOnGraph.kept);
  return {
    messages: oldest.map((change) => messageView(change, facts.messagesSentAt)),
    changes: [...left, ...oldest],
  };
}

const sentAt = ({ messagesSentAt }: RunReader["facts"], { changeId, timestamp }: Change): number =>
  messagesSentAt[changeId] ?? timestamp;

/** The record first: a death in between leaves changes that go the next time. */
async function putAwayMessages(run: Run): Promise<void> {
  const { messages, changes } = messagesToPutAway(run);
  if (changes.length === 0) return;
  if (messages.length > 0) run.append({ kind: "MessagesPutAway", messages });
  const before = allMessages(run).length;
  await run.repository.abandon(
    changes.map(({ commitId }) => commitId),
    { actor: "hox" },
  );
  await run.refreshChanges();
  if (allMessages(run).length < before) throw new Error("A message that is not in the journal was removed.");
  run.changed();
}

/**
 * Orchestrators exchange information only; a decision that binds both is made by their common parent. Each
 * message is a change like any other, with its readers recorded. (HOX-4.3)
 *
 * Messages that an orchestrator has not received yet, oldest first; empty before it starts and after it ends.
 */
const unreadOf = (run: Run, name: string): readonly MessageView[] =>
  isActive(run, name) && run.workspaces.of(name) !== null
    ? messagesFor(run, name).filter((message) => isInformation(message, name))
    : [];

/** What answers a question comes with the event that the question waits for. */
const isInformation = (
  { type, replyTo, to }: Pick<MessageView, "type" | "replyTo" | "to">,
  name: string,
): boolean =>
  type === "info" && replyTo === undefined && matchesAddress(to, { orchestrator: name, agent: null });

/**
 * Wakes an orchestrator with each message that it has not read. A message counts as read when the orchestrator has
 * answered, so after a crash it comes again; its answer is kept, so it is not thought about twice.
 */
async function deliverToOrchestrator(run: Run, name: string): Promise<void> {
  for (let [next] = unreadOf(run, name); next; [next] = unreadOf(run, name)) {
    const message = next;
    // It has the message when its turn comes, and not while it still answers something else.
    const delivered = inTurn(run, name, async () => markDelivered(run, name, [message]));
    const answered =
      next.from === user
        ? answerUser(run, name, next)
        : askOrchestrator(
            run,
            name,
            `message/${next.changeId}`,
            "message",
            prompt(
              promptLine`From ${next.from} to ${next.to}.`,
              runLine(run, next.from),
              section("Message", [quoteText(next.text)]),
            ),
          );
    await Promise.all([delivered, answered]);
    await markHandled(run, name, [next]);
  }
}

/** Says of a sender of another run which one that is; empty for the run's own. */
const runLine = (run: Run, from: string): PromptText => {
  const other = run.others().find((one) => rootOf(one) === from);
  return other === undefined
    ? promptLine``
    : promptLine`${from} leads another run in this repository: ${inOneLine(other.row.input.goal)}`;
};

const answerShape = z.looseObject({ summary: z.string() });

/**
 * The user's message to an orchestrator: it acts on it, and its answer goes back to the user. (HOX-4.2,
 * HYLO-2) Idempotent: decisions, answers and messages are stored under the message.
 */
async function answerUser(run: Run, name: string, message: MessageView): Promise<void> {
  const { changeId, text, to } = message;
  const key = `message/${changeId}`;
  const words = prompt(promptLine`The user writes to ${to}.`, section("Message", [quoteText(text)]));
  const reply = await askAndExecute(run, name, {
    key,
    event: "user message",
    text: async () => words,
    inReplyTo: changeId,
  });
  const { summary } = answerShape.parse(reply?.value);
  const answer = await sendMessage(run, {
    key: `${key}/answer/${name}`,
    from: name,
    to: user,
    type: "info",
    text: summary,
    replyTo: changeId,
  });
  await run.step(`${key}/answered/${name}`, async () => {
    // The user reads it on screen; no worker does.
    await setHandled(run, [answer]);
    inform(run, `${name} answers you: ${summary}`);
    return true;
  });
}

/** Messages to orchestrators, who may sleep; an agent reads its own with its next prompt. */
export const mail: Feature<Run> = {
  name: "mail",
  commands: () => ({
    /** The user writes to one worker, or to all that an address reaches. */
    async "run.messageWorker"(run, { worker: name, text }) {
      const role = run.workers.get(name)?.record.role;
      if (role === undefined && isAddress(name)) refuseUnheard(run, name);
      else if (role !== undefined && roles[role].isLead) refuseInactive(run, name);
      else refuseFinished(run, name);
      await sendMessage(run, {
        key: `${user}/${run.newId()}`,
        from: user,
        to: role === undefined ? name : addressOf(run, name),
        type: "info",
        text,
      });
    },

    "run.interruptWorker"(run, { worker: name }) {
      const worker = run.workers.get(name);
      if (worker && roles[worker.record.role].isLead) {
        refuseInactive(run, name);
        // One that sleeps wakes to read it.
        if (isAtWork(worker.state)) worker.isInterrupted = true;
        return;
      }
      refuseFinished(run, name);
      // Its files are saved and it resumes in the same conversation. Not awaited, because a request may take
      // long.
      void run.lock.withExclusive(name, async () => undefined, "reading your message");
    },
  }),
  agents: {
    tools: (run, worker) => [noteTool(run, worker)],
    refuseDone: {
      name: "messages",
      why: (run, { worker, delivered }) =>
        hasUnread(run, worker, delivered)
          ? "the user has written to you meanwhile. Read the message under Messages and do what it says."
          : null,
    },
    prompt: {
      messages: (_, { messages }) => [
        section(
          "Messages",
          messages.map((message) => promptLine`- From ${message.from}: ${message.text}`),
        ),
      ],
      notes: (run, { worker }) => [
        section(
          "Your notes so far",
          run.worker(worker).record.remarks.map((note) => promptLine`- ${note}`),
        ),
      ],
    },
  },
  orchestratorTools: [
    { name: "inform", isAlwaysAllowed: true, make: informTool },
    { name: "report_done", answers: { message: 1, "user message": 1 } },
  ],
  background: [
    background({
      desired: (run: Run) =>
        orchestratorsOf(run)
          .filter((orchestrator) => unreadOf(run, orchestrator).length > 0)
          .map((orchestrator) => ({ id: `messages/${orchestrator}`, orchestrator })),
      perform: (run, { orchestrator }) => deliverToOrchestrator(run, orchestrator),
      failure: ({ orchestrator }) => ({
        title: `A message could not be delivered to ${orchestrator}`,
        worker: orchestrator,
        isAsked: true,
      }),
    }),
    background({
      desired: (run: Run) => (messagesToPutAway(run).changes.length > 0 ? [{ id: "messages/put-away" }] : []),
      perform: putAwayMessages,
      failure: (_, run) => ({
        title: "Read messages could not be removed from the graph",
        worker: rootOf(run),
      }),
    }),
  ],
};

const noteShape = z.strictObject({ text: z.string().min(1).max(300) });

/** Limit of unread notes per worker, so that a model that repeats itself does not fill prompts. */
const maxUnreadNotes = 10;

/**
 * Lets a worker send its parent a note that needs no answer; the parent reads it with its next event.
 * (HYLO-15)
 */
function noteTool(run: Run, name: string): Tool {
  return {
    name: "note",
    description:
      "Sends your orchestrator a note. Use it for what it should know and need not answer: it reads it with its next event, and you continue. Use align_request when you need an answer.",
    input: noteShape,
    writes: true,
    async run(input) {
      const { text } = noteShape.parse(input);
      const parent = parentOf(run, name);
      const begin = `${name} notes: `;
      const unread = queuedUpdates(run, parent, "children").filter((line) => line.startsWith(begin));
      const line = `${begin}${inOneLine(text)}`;
      if (unread.includes(line)) return { ok: true, output: "Noted already." };
      if (unread.length >= maxUnreadNotes)
        return {
          ok: false,
          error: "not-allowed",
          output: `${parent} has ${maxUnreadNotes} notes of yours that it has not read. Put the rest into your summary.`,
        };
      run.append(
        { kind: "NoteTaken", worker: name, text: inOneLine(text) },
        ...updatesFor(parent, "children", [line]),
      );
      return { ok: true, output: `Noted for ${parent}.` };
    },
  };
}
