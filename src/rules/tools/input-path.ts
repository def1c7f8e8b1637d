import { quoteText } from '../../format/quote-text.ts'
import { placeholdersIn } from '../../format/template.ts'
import { findInput } from '../../format/template-input.ts'
import { TOOLS_FILE } from '../../model/agent.ts'
import { classifyRef, resolveLocal } from '../../format/schema-ref.ts'
import type { Agent } from '../../model/agent.ts'
import type { JsonSchema, Tool } from '../../model/tools.ts'
import type { Rule } from '../rule.ts'
import { templateTexts } from '../tool-templates.ts'

export const toolsInputPath: Rule = {
  id: 'tools/input-path',
  severity: 'warning',
  scope: 'source',
  summary: 'a placeholder names a value that the input schema does not',
  why: 'Whatever fits the schema, this place stays empty: a url without its id can mean all of them.',
  fix: 'Correct the name, or add the property to input_schema.',
  *check(agent) {
    for (const [index, tool] of (agent.tools?.tools ?? []).entries()) {
      const resolve = (ref: string) => resolveRef(ref, tool, agent)
      for (const { text, at } of templateTexts(tool)) {
        for (const part of placeholdersIn(text)) {
          if (part.kind !== 'input') continue
          const found = findInput(tool.inputSchema, part.path, resolve)
          if (found.is !== 'missing') continue
          const where = found.at.length === 0 ? 'input_schema' : `input_schema below ${found.at.join('.')}`
          yield {
            file: TOOLS_FILE,
            place: { pointer: ['tools', index, ...at] },
            message: `${quoteText(part.text)}: ${where} has no ${quoteText(found.name)}`,
            fix:
              found.meant === undefined
                ? `Correct the name, or add the property to input_schema`
                : `Write ${quoteText(`{{input.${[...found.at, found.meant, ...found.rest].join('.')}}}`, 100)}`,
          }
        }
      }
    }
  },
}

/** What lies inside the bundle; anything else is not known. */
function resolveRef(ref: string, { inputSchema, schemaRefs }: Tool, agent: Agent): JsonSchema | undefined {
  const place = classifyRef(ref)
  if (place.kind === 'local') return resolveLocal(inputSchema, ref)?.schema
  const root =
    place.kind === 'file'
      ? agent.documents.get(place.path)?.value
      : place.kind === 'registry'
        ? Object.hasOwn(schemaRefs, place.id)
          ? schemaRefs[place.id]
          : agent.documents.get(`schemas/${place.id}.json`)?.value
        : undefined
  // References inside a file start from that file: only a schema without any is looked into.
  return place.kind === 'invalid' || place.kind === 'remote' || place.fragment !== '#' ? undefined : asSchema(root)
}

function asSchema(value: unknown): JsonSchema | undefined {
  const isSchema = typeof value === 'boolean' || (typeof value === 'object' && value !== null)
  return isSchema ? (value as JsonSchema) : undefined
}
