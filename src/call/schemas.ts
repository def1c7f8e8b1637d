// A tool → its two schemas, ready to check values. Both are compiled before the tool runs: a broken result schema must not be found after
// the mail was sent.

import type { JsonSchema, Tool } from '../model/tools.ts'
import { type CompiledSchema, compileSchema } from '../schema/compile.ts'
import { inlineSchema } from '../schema/inline.ts'
import { type ResolveRef, resolverIn } from '../schema/reference.ts'

export interface ToolSchemas {
  readonly input: CompiledSchema
  readonly result: CompiledSchema
  /** The input schema with its references replaced by their targets, because the preflight follows none. */
  readonly plain: JsonSchema
}

/** `problem` continues a sentence that begins with the tool. */
export type ReadySchemas =
  | { readonly ok: true; readonly schemas: ToolSchemas }
  | { readonly ok: false; readonly problem: string }

/** Safe as a cache: a tool never changes after it was read. */
const known = new WeakMap<Tool, Promise<ReadySchemas>>()

export function readySchemas(tool: Tool, fileAt: (path: string) => unknown): Promise<ReadySchemas> {
  const before = known.get(tool)
  if (before !== undefined) return before
  const ready = compile(tool, resolverIn(tool.schemaRefs, fileAt))
  known.set(tool, ready)
  return ready
}

async function compile(tool: Tool, resolve: ResolveRef): Promise<ReadySchemas> {
  const input = await compileSchema(tool.inputSchema, resolve)
  if (!input.ok) return unusable('input_schema', input.problems)
  const result = await compileSchema(tool.resultSchema, resolve)
  if (!result.ok) return unusable('result_schema', result.problems)
  const inlined = inlineSchema(tool.inputSchema, resolve)
  if ('problem' in inlined) return unusable('input_schema', [inlined.problem])
  return { ok: true, schemas: { input, result, plain: inlined.schema } }
}

function unusable(which: string, [problem]: readonly { readonly message: string }[]): ReadySchemas {
  return { ok: false, problem: `cannot be called: its ${which} cannot be used: ${problem?.message ?? ''}` }
}
