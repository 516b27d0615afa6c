import { type AnySchema, type Schema, type } from "@orpc/contract";

/** One row of the table of commands. */
export interface Command<
  Input extends AnySchema,
  Output,
  By extends "engine" | "host",
  OverEndpoint extends boolean,
> {
  /** Parsed at the border; trusted inside. */
  readonly input: Input;
  /** The host's answers are trusted and not parsed. */
  readonly output: Schema<Output, Output>;
  /** Who carries it out: the engine of the repository that is open and worked on here, or the host itself. */
  readonly by: By;
  /** Whether a terminal may give it through the local endpoint of the host that works on the repository. */
  readonly isOverEndpoint: OverEndpoint;
}

/** Without input, or without output. */
export const nothing = type<void>();
/** What is answered; nothing of it is there at run time. */
export const answers = <Output>(): Schema<Output, Output> => type<Output, Output>((given) => given);

/** A command to the host: settings, folders, which repository is open. */
export const toHost = <Input extends AnySchema, Output>(
  input: Input,
  output: Schema<Output, Output>,
): Command<Input, Output, "host", false> => ({ input, output, by: "host", isOverEndpoint: false });

/** A command to the engine that only the window gives. */
export const toEngine = <Input extends AnySchema, Output>(
  input: Input,
  output: Schema<Output, Output>,
): Command<Input, Output, "engine", false> => ({ input, output, by: "engine", isOverEndpoint: false });

/** A command to the engine that a terminal gives as well, whether a host works on the repository or not. */
export const toRun = <Input extends AnySchema, Output>(
  input: Input,
  output: Schema<Output, Output>,
): Command<Input, Output, "engine", true> => ({ input, output, by: "engine", isOverEndpoint: true });
