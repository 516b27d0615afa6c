import { z } from "zod";
import type { ToolSchema } from "../model/driver-interface.ts";
import type { Tool } from "../tools/tool-interface.ts";

/** Of what a tool takes. Every conversation is offered the same ones. */
const inputSchemas = new WeakMap<Tool["input"], ToolSchema["inputSchema"]>();

function inputSchemaOf(input: Tool["input"]): ToolSchema["inputSchema"] {
  const known = inputSchemas.get(input);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  inputSchemas.set(input, schema);
  return schema;
}

/** A tool as a model is told of it. */
export const toolSchema = ({ name, description, input }: Tool): ToolSchema => ({
  name,
  description,
  inputSchema: inputSchemaOf(input),
});
