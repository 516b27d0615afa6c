/** Schemas of what a client may do to a plan, before it is approved and during the run. */
import { z } from "zod";
import { type CeremonyPart, type CeremonyValues, ceremonyValues } from "../domain/ceremony-parts.ts";
import { priorities } from "../domain/metadata.ts";
import { plan } from "./inputs.ts";

const task = plan.shape.tasks.unwrap().element;
const id = task.shape.id;
const { title, description, files } = task.shape;
const { number, title: phaseTitle } = plan.shape.phases.unwrap().element.shape;

const ceremonyEdit = <const Part extends CeremonyPart>(part: Part) =>
  z.strictObject({
    kind: z.literal("ceremony"),
    part: z.literal(part),
    value: z
      .enum(ceremonyValues[part] as readonly [CeremonyValues[Part], ...CeremonyValues[Part][]])
      .nullable(),
  });

/** One edit of a plan; `domain/plan-edit.ts` says what each means. */
export const planEdit = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("add"), task }),
  z.strictObject({ kind: z.literal("remove"), task: id }),
  z.strictObject({ kind: z.literal("link"), task: id, after: id }),
  z.strictObject({ kind: z.literal("unlink"), task: id, after: id }),
  z.strictObject({ kind: z.literal("move"), task: id, phase: number }),
  z.strictObject({
    kind: z.literal("change"),
    task: id,
    patch: z.strictObject({
      title: title.optional(),
      description: description.optional(),
      priority: z.enum(priorities).optional(),
      files: files.optional(),
    }),
  }),
  z.strictObject({ kind: z.literal("phase"), number, title: phaseTitle }),
  z.strictObject({ kind: z.literal("contracts"), ...plan.shape.contracts.shape }),
  z.strictObject({ kind: z.literal("integration"), ...plan.shape.integration.unwrap().shape }),
  z.discriminatedUnion("part", [
    ceremonyEdit("contracts"),
    ceremonyEdit("reviews"),
    ceremonyEdit("integrator"),
    ceremonyEdit("seats"),
    ceremonyEdit("learning"),
  ]),
  z.strictObject({ kind: z.literal("budget"), ...plan.shape.budget.shape }),
]);

/** Edits of the plan of one orchestrator of the run that goes on; all of them are made, or none. */
export const planAmendment = z.strictObject({
  orchestrator: z.string().max(200).default("O-A-1"),
  edits: z.array(planEdit).min(1).max(200).readonly(),
});
