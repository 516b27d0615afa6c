/** Schemas of what a window keeps with the host, part by part. */
import { z } from "zod";
import { line } from "./fields.ts";
import { fontSizes, maxViewedChanges } from "./views/window-preferences.ts";

export const windowFields = {
  view: z.enum(["log", "canvas"]),
  runView: z.enum(["log", "canvas"]),
  showQueue: z.boolean(),
  showRight: z.boolean(),
  showTime: z.boolean(),
  filterHides: z.boolean(),
  panes: z.record(z.string().max(40), z.number().int().min(0).max(10_000)),
  density: z.enum(["comfortable", "compact"]),
  fontSize: z.number().int().min(fontSizes.least).max(fontSizes.most),
  notifications: z.enum(["unasked", "on", "off"]),
  showEvents: z.boolean(),
  tour: z.enum(["open", "small", "left"]),
  savedFilters: z
    .array(z.strictObject({ name: line(100).min(1), text: z.string().min(1).max(2_000) }))
    .max(50)
    .readonly(),
  viewedFiles: z
    .array(
      z.strictObject({
        changeId: z.string().min(1).max(64),
        files: z.record(z.string().max(4096), z.string().max(64)),
      }),
    )
    .max(maxViewedChanges)
    .readonly(),
};
