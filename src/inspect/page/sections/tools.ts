// The tools of a bundle → a section: one line each, with what is remarkable below it.

import type { FilledArgument } from '../../../model/permissions.ts'
import { withReadableHosts } from '../../../policy/readable-host.ts'
import { plural } from '../../../text/words.ts'
import type { InspectedTool } from '../../inspected.ts'
import { acceptedBy, inTemplates } from '../../permission-lines.ts'
import type { Emphasis, Item, Section } from '../page.ts'

/**
 * @param fills the arguments that fill the templates of a tool, by its id
 * @param dangerous ids of the tools of which nothing is called good
 */
export function toolsSection(
  tools: readonly InspectedTool[],
  verdict: string,
  fills: ReadonlyMap<string, readonly FilledArgument[]>,
  dangerous: ReadonlySet<string>,
): Section {
  return {
    id: 'tools',
    title: plural(tools.length, 'tool'),
    items: tools.map(tool => {
      const usual = dangerous.has(tool.id) ? 'danger' : verdict === 'trusted' ? 'good' : undefined
      return toolItem(tool, usual, fills.get(tool.id) ?? [])
    }),
  }
}

/** @param usual its mark where nothing keeps it back */
function toolItem(tool: InspectedTool, usual: Emphasis | undefined, fills: readonly FilledArgument[]): Item {
  const { id, description, target, requiresConfirmation: asks, needs, exposed, restricted, safety } = tool
  const denied = needs.filter(({ granted }) => !granted)
  const more: Item[] = [
    ...(tool.uiSummary === undefined ? [] : [{ words: ['in short: ', { text: tool.uiSummary }] }]),
    { words: [{ text: description }] },
    ...inTemplates(fills).map(
      ({ path, schema }): Item => ({
        words: ['takes ', { text: acceptedBy(schema) }, ' as ', { text: `input.${path}` }],
      }),
    ),
    ...(restricted === null
      ? []
      : [{ mark: 'bad' as const, words: [`kept back by interfaces.json: ${restricted}`] }]),
    ...denied.map(({ capability, by, reason }): Item => {
      const why = by === 'policy.caps' ? 'not in policy.caps' : by === null ? reason : `taken away by ${by}`
      return {
        mark: 'bad',
        words: ['needs ', { text: withReadableHosts(capability) }, ': ', { text: why ?? 'not granted' }],
      }
    }),
    ...Object.entries(safety ?? {}).map(
      ([key, value]): Item => ({ words: ['interfaces.json: ', { text: `${key} ${JSON.stringify(value)}` }] }),
    ),
  ]
  const mark = exposed ? usual : 'bad'
  return {
    mark,
    words: [
      { text: id },
      ' ',
      { text: withReadableHosts(target) },
      ...(asks ? [', asks before each call'] : []),
      ...(exposed ? [] : [', not exposed']),
    ],
    more,
    isOpen: true,
  }
}
