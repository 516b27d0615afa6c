import { z } from "zod";
import { maxTemplateLength, templateNameProblem } from "../../domain/start/goal-template.ts";
import { line } from "../fields.ts";
import type { GoalTemplateView, ModelCheckView, StartChoicesView } from "../views/start.ts";
import { answers, nothing, repositoryCommand } from "./command.ts";

const templateName = line(60).refine(
  (name) => templateNameProblem(name) === null,
  "is not a valid template name",
);

/** What is needed to start a run: what there is to choose, and what it would be. */
export const startCommands = {
  "start.choices": repositoryCommand({}, answers<StartChoicesView>()),
  /** Trusts or ignores settings of the repository that are not in force, named by their texts. */
  "start.answerSettings": repositoryCommand(
    {
      texts: z.array(z.string().max(10_000)).max(1_000),
      answer: z.enum(["trust", "ignore"]),
    },
    nothing,
  ),
  /** Asks the provider whether it has the model for the key in use. Costs nothing. */
  "start.checkModel": repositoryCommand({ model: line(100).min(1) }, answers<ModelCheckView>()),
  /** Files of what a run would build on whose path holds what was typed; those whose name begins with it first. */
  "start.files": repositoryCommand(
    { typed: z.string().max(300), most: z.number().int().min(1).max(50).default(12) },
    answers<readonly string[]>(),
  ),
  "start.templates": repositoryCommand({}, answers<readonly GoalTemplateView[]>()),
  /** Writes `.hox/templates/<name>.md`. */
  "start.saveTemplate": repositoryCommand(
    { name: templateName, text: z.string().trim().min(1).max(maxTemplateLength) },
    nothing,
  ),
  "start.removeTemplate": repositoryCommand({ name: templateName }, nothing),
};
