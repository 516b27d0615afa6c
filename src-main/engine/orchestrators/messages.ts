import { matchesAddress, type Recipient } from "#shared/domain/change-metadata/address.ts";
import type { MessageType, MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import { joinMessages } from "#shared/domain/messages/message-view.ts";
import { describeChange } from "#shared/domain/plan/task-texts.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { shortened } from "#shared/domain/text/format-text.ts";
import { type PromptText, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { noUpdates, type UpdateEvent, type UpdateTopic } from "#shared/domain/updates/update-events.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Run, RunReader } from "../ports.ts";
import { parentOf, rootOf } from "../workers/hierarchy.ts";
import { isReplaced } from "../workers/pause-worker.ts";

/** The sender of the user's messages to agents. Such a message has no sender's trailer. */
export const user = "user";

const recipientOf = (run: RunReader, worker: string): Recipient => {
  const { role } = run.worker(worker).record;
  return roles[role].isLead
    ? { orchestrator: worker, agent: null }
    : { orchestrator: parentOf(run, worker), agent: worker };
};

/** Whether an address means a worker, or one whose task it took over. */
const isFor = (run: RunReader, worker: string, address: string): boolean => {
  const { replaces } = run.worker(worker).record;
  return (
    matchesAddress(address, recipientOf(run, worker)) ||
    (Boolean(replaces) && isFor(run, replaces ?? "", address))
  );
};

/** Roles that receive messages; validators do not. */
const hears = ({ role, status }: WorkerRecord): boolean =>
  roles[role].hasIterations && status !== "done" && status !== "abandoned";

/** Agents that an address means and that will still read it; an orchestrator it is for reads it in its own time. */
export const listenersTo = (run: RunReader, address: string): readonly string[] =>
  [...run.workers.values()]
    .filter(({ record }) => hears(record) && isFor(run, record.name, address))
    .map(({ record }) => record.name);

/** A worker's full address: `O-B-1`, `O-A-1/agent-2`. */
export const addressOf = (run: RunReader, worker: string): string => {
  const { orchestrator, agent } = recipientOf(run, worker);
  return agent === null ? orchestrator : `${orchestrator}/${agent}`;
};

/**
 * Sends a message as a separate empty change. Idempotent: the same key sends nothing twice, even if the
 * process ended between jj's operation and the journal's entry.
 */
export async function sendMessage(
  run: Run,
  message: {
    readonly key: string;
    readonly from: string;
    readonly to: string;
    readonly type: MessageType;
    readonly text: string;
    readonly replyTo?: string | null;
  },
): Promise<string> {
  return run.step(`message/${message.key}`, async () => {
    const base = placeOf(run, message.from, message.to);
    if (base === null) throw new Error("A message was sent before the run had a base change.");
    const isByUser = message.from === user;
    const description = describeChange(firstLine(message.text), message.text, {
      kind: "message",
      status: "open",
      run: run.id,
      ...(isByUser ? { orchestrator: null, agent: null } : senderOf(run, message.from)),
      msgTo: message.to,
      msgType: message.type,
      replyTo: message.replyTo ?? null,
    });
    // The user may send the same twice, and is not interrupted between jj's operation and the journal's
    // entry.
    const sent = isByUser
      ? undefined
      : [...run.changes.values()].find((change) => change.description.trim() === description.trim());
    if (sent) {
      run.append({ kind: "MessageSent", message: sent.changeId, at: sent.timestamp });
      return sent.changeId;
    }
    const { changeId } = await run.repository.newChange({
      parents: [base],
      description,
      actor: isByUser ? "hox" : message.from,
      request: `${run.id}/${message.key}`,
    });
    run.append({ kind: "MessageSent", message: changeId, at: run.now() });
    await run.refreshChanges();
    run.changed();
    // An orchestrator that it is for may sleep.
    run.schedule();
    return changeId;
  });
}

/** As trailers name a sender. The root of another run is no worker of this one. */
function senderOf(run: RunReader, from: string): Pick<MetadataPatch, "orchestrator" | "agent"> {
  const record = run.workers.get(from)?.record;
  return record && !roles[record.role].isLead
    ? { orchestrator: record.parent, agent: from }
    : { orchestrator: from, agent: null };
}

/** Between an orchestrator and its agents on its own base, else at the base of all work. */
function placeOf(run: RunReader, from: string, to: string): string | null {
  const [orchestrator = "", agent] = to.split("/");
  const own = agent !== undefined || run.workers.get(from)?.record.parent === to ? orchestrator : "";
  return run.orchestratorFacts(own).base ?? run.orchestratorFacts(rootOf(run)).base;
}

/** Messages that a worker has not handled yet, oldest first. Delivered again until `markHandled` came through. */
export function messagesFor(run: RunReader, worker: string): readonly MessageView[] {
  return allMessages(run).filter(
    (message) =>
      message.from !== worker &&
      message.type !== "mutation" &&
      isFor(run, worker, message.to) &&
      !hasHandled(run, message.changeId, worker),
  );
}

/** What a worker has read and acted on is not shown to it again; the change is marked when all readers are through. */
export async function markHandled(run: Run, worker: string, messages: readonly MessageView[]): Promise<void> {
  if (messages.length === 0) return;
  run.append({ kind: "MessagesHandled", worker, messages: messages.map(({ changeId }) => changeId) });
  const through = messages.filter(
    (message) =>
      !message.handled &&
      [...run.workers.values()].every(
        ({ record }) =>
          record.name === message.from ||
          // Whoever has its task now reads what was written to it.
          isReplaced(run, record.name) ||
          (!roles[record.role].isLead && !hears(record)) ||
          !isFor(run, record.name, message.to) ||
          hasHandled(run, message.changeId, record.name),
      ),
  );
  if (through.length > 0)
    await setHandled(
      run,
      through.map((message) => message.changeId),
    );
}

export async function setHandled(run: Run, changeIds: readonly string[]): Promise<void> {
  await run.repository.setMetadata(
    changeIds.map((change) => ({ change, patch: { status: "done" } })),
    { actor: "hox" },
  );
  await run.refreshChanges();
  run.changed();
}

const hasHandled = (run: RunReader, message: string, worker: string): boolean =>
  run.worker(worker).record.handled.includes(message);

/** Whether the user has sent a worker messages since those of its last prompt. */
export const hasUnread = (run: RunReader, worker: string, delivered: readonly MessageView[]): boolean =>
  messagesFor(run, worker).some(
    (message) => message.from === user && !delivered.some((one) => one.changeId === message.changeId),
  );

const known = new WeakMap<
  RunReader,
  { readonly of: readonly unknown[]; readonly all: readonly MessageView[] }
>();

/** All messages and decisions of the run, oldest first: those on the graph, and those that were put away. */
export function allMessages(run: RunReader): readonly MessageView[] {
  const { messages, putAwayMessages, messagesSentAt, workers } = run.facts;
  const of = [run.changes, messages, putAwayMessages, messagesSentAt, workers, isOver(run.state)];
  const before = known.get(run);
  if (before?.of.every((one, index) => one === of[index])) return before.all;
  const all = readMessages(run);
  known.set(run, { of, all });
  return all;
}

const readMessages = (run: RunReader): readonly MessageView[] =>
  (isOver(run.state) ? run.facts.messages : null) ??
  withDeliveries(
    run,
    joinMessages(
      run.facts.putAwayMessages,
      [...run.changes.values()]
        .filter(({ metadata }) => metadata.kind === "message" || metadata.kind === "mutation")
        .map((change) => messageView(change, run.facts.messagesSentAt)),
    ).toSorted((one, other) => one.at - other.at),
  );

function withDeliveries(run: RunReader, messages: readonly MessageView[]): readonly MessageView[] {
  const deliveries = [...run.workers.values()].flatMap(({ record }) =>
    Object.entries(record.delivered).map(([message, at]) => ({ message, worker: record.name, at })),
  );
  if (deliveries.length === 0) return messages;
  const byMessage = Map.groupBy(deliveries, ({ message }) => message);
  return messages.map((message) => {
    const got = byMessage.get(message.changeId);
    return got ? { ...message, delivered: got.map(({ worker, at }) => ({ worker, at })) } : message;
  });
}

/** Marks messages that a prompt of the worker delivers; their senders see that. */
export function markDelivered(run: Run, worker: string, messages: readonly MessageView[]): void {
  const { delivered } = run.worker(worker).record;
  const fresh = messages.flatMap(({ changeId }) => (Object.hasOwn(delivered, changeId) ? [] : [changeId]));
  if (fresh.length === 0) return;
  run.append({ kind: "MessagesDelivered", worker, messages: fresh, at: run.now() });
  run.changed();
}

/** @param sentAt by change id; what is not known of was sent when its change was written */
export function messageView(change: Change, sentAt: Readonly<Record<string, number>>): MessageView {
  const { metadata } = change;
  const { subject, body } = parseDescription(change.description);
  return {
    changeId: change.changeId,
    from: metadata.agent ?? metadata.orchestrator ?? user,
    to: metadata.msgTo ?? "",
    type: metadata.msgType ?? "info",
    // The subject of a long message is its first words over again.
    text: body.trim() === "" ? subject : body.trim(),
    at: sentAt[change.changeId] ?? change.timestamp,
    handled: metadata.status === "done",
    ...(metadata.replyTo ? { replyTo: metadata.replyTo } : {}),
  };
}

const firstLine = (text: string): string => {
  const line = text.trim().split("\n")[0] ?? "";
  return shortened(line, 72);
};

const topics: Readonly<
  Record<UpdateTopic, { readonly title: string; readonly line: (update: string) => PromptText }>
> = {
  plan: { title: "The plan has changed", line: (update) => promptLine`- The user ${update}.` },
  children: { title: "What happened below you meanwhile", line: (update) => promptLine`- ${update}` },
  runs: { title: "Other runs in this repository", line: (update) => promptLine`- ${update}` },
};

/**
 * Updates that an orchestrator receives with its next event. (design section 6; HYLO-12, HYLO-14)
 *
 * Updates that the orchestrator has not received, oldest first.
 */
export const queuedUpdates = (run: RunReader, orchestrator: string, topic: UpdateTopic): readonly string[] =>
  (run.facts.updates[orchestrator] ?? noUpdates)[topic];

/** Delivers nothing; updates stay queued. */
export const noDelivery: ReturnType<typeof deliverUpdates> = { sections: [], delivered: [] };

/** The sections of a prompt with all updates, and what to store together with its answer. */
export function deliverUpdates(
  run: RunReader,
  orchestrator: string,
): { readonly sections: readonly PromptText[]; readonly delivered: readonly UpdateEvent[] } {
  const updates = (Object.keys(topics) as readonly UpdateTopic[]).map((topic) => ({
    topic,
    lines: queuedUpdates(run, orchestrator, topic),
  }));
  return {
    sections: updates.map(({ topic, lines }) => section(topics[topic].title, lines.map(topics[topic].line))),
    delivered: updates.flatMap(({ topic, lines }) =>
      lines.length === 0
        ? []
        : [{ kind: "UpdatesDelivered", orchestrator, topic, count: lines.length } as const],
    ),
  };
}

/**
 * Work that was done is worked on again, and with it every part that it belongs to, from the inside out. Safe to
 * repeat: what is open already stays so.
 */
export function reopen(run: Run, worker: string): void {
  const { task, role } = run.worker(worker).record;
  const parent = parentOf(run, worker);
  if (task !== null) run.dispatch({ kind: "TaskReopened", task }, parent);
  else if (roles[role].canIntegrate) run.dispatch({ kind: "IntegrationConflict", files: [] }, parent);
  else return;
  if (run.worker(parent).record.task === null) return;
  reopen(run, parent);
  run.append({ kind: "WorkReopened", worker: parent });
}
