import { type AnySchema, type Schema, type } from "@orpc/contract";
import { z } from "zod";
import { line } from "../fields.ts";

/**
 * What a command is about: the app, an open repository (its input has the field `repository`), or one run of it (`repository`
 * and `run`). One about an active run is refused once that run has ended.
 */
type About = "app" | "repository" | "run" | "active-run";

/** One row of the table of commands. */
export interface Command<
  Input extends AnySchema,
  Output,
  By extends "engine" | "host",
  OverEndpoint extends boolean,
  Of extends About,
> {
  /** Parsed at the border; trusted inside. */
  readonly input: Input;
  /** The host's answers are trusted and not parsed. */
  readonly output: Schema<Output, Output>;
  /** Who carries it out: the engine of the repository that it is about, or the host itself. */
  readonly by: By;
  /** Whether a terminal may give it through the local endpoint of the host that works on the repository. */
  readonly isOverEndpoint: OverEndpoint;
  readonly about: Of;
}

/** Without input, or without output. */
export const nothing = type<void>();
/** What is answered; nothing of it is there at run time. */
export const answers = <Output>(): Schema<Output, Output> => type<Output, Output>((given) => given);

/** A write to the graph: the newest jj operation after it. */
export interface Written {
  readonly operation: string;
}
export const written = answers<Written>();

/** The root of a repository that is open in the host. */
const repository = z
  .string({ error: "The command does not say which repository it is for." })
  .min(1)
  .max(4096);
/** The id of a run. */
export const runId = line(100).min(1);

const inRepository = { repository };
const inRun = {
  repository,
  run: z.string({ error: "The command does not say which run it is for." }).min(1).max(100),
};

const withFields = <Fields extends z.ZodRawShape, Own extends z.ZodRawShape>(own: Own, fields: Fields) =>
  z.strictObject({ ...own, ...fields });

/** About the app: settings, folders, which repository is open. */
export const appCommand = <Input extends AnySchema, Output>(
  input: Input,
  output: Schema<Output, Output>,
): Command<Input, Output, "host", false, "app"> => ({
  input,
  output,
  by: "host",
  isOverEndpoint: false,
  about: "app",
});

/** About a repository; the host carries it out, also where it only looks on. */
export const hostCommand = <Own extends z.ZodRawShape, Output>(own: Own, output: Schema<Output, Output>) =>
  ({
    input: withFields(own, inRepository),
    output,
    by: "host",
    isOverEndpoint: false,
    about: "repository",
  }) as const;

/** About a repository; its engine carries it out, and only the window gives it. */
export const windowCommand = <Own extends z.ZodRawShape, Output>(own: Own, output: Schema<Output, Output>) =>
  ({ ...hostCommand(own, output), by: "engine" }) as const;

/** The same for a terminal as well, whether a host works on the repository or not. */
export const repositoryCommand = <Own extends z.ZodRawShape, Output>(
  own: Own,
  output: Schema<Output, Output>,
) => ({ ...windowCommand(own, output), isOverEndpoint: true }) as const;

/** About a run, active or ended. */
export const runCommand = <Own extends z.ZodRawShape, Output>(own: Own, output: Schema<Output, Output>) =>
  ({
    input: withFields(own, inRun),
    output,
    by: "engine",
    isOverEndpoint: true,
    about: "run",
  }) as const;

/** About an active run. */
export const activeRunCommand = <Own extends z.ZodRawShape, Output>(
  own: Own,
  output: Schema<Output, Output>,
) => ({ ...runCommand(own, output), about: "active-run" }) as const;
