import type { Tool } from '../../model/tools.ts'
import { AS_IT_IS, type ToolField, UNKNOWN } from './field.ts'

const PARTS = ['tokens', 'usd'] as const
/** Dollars that no tool spends in one run. In cents, it is a usual amount. */
const MOST_DOLLARS = 50

export const budget = {
  ...AS_IT_IS,
  at: ['budget'],
  // null is no limit.
  read(json) {
    if (!json) return undefined
    const { tokens, usd } = json as { readonly [P in (typeof PARTS)[number]]?: unknown }
    return {
      ...(typeof tokens === 'number' && { tokens }),
      ...(typeof usd === 'number' && { usd }),
    }
  },
  flags: {
    'budget-tokens': { type: 'string', placeholder: 'N', describe: 'tokens it may use' },
    'budget-usd': { type: 'string', placeholder: 'AMOUNT', describe: 'US dollars it may cost' },
  },
  edited: (old, made) => ({ ...old, ...made }),
  digits: ['tokens'],
  odd(value) {
    const usedUp = PARTS.filter(part => value?.[part] === 0).map(part => ({
      inner: part,
      message: `A budget of 0 ${part === 'usd' ? 'dollars' : part} is used up before the first call, so every call is rejected`,
      fix: 'Remove it, or write how much the tool may use',
    }))
    const { usd = 0 } = value ?? {}
    if (usd < MOST_DOLLARS) return usedUp
    const message = `The budget for one run is ${usd} dollars`
    return [...usedUp, { inner: 'usd', message, fix: `Write ${usd / 100} if you mean cents` }]
  },
  fates: {
    ...UNKNOWN,
    mcp: '_meta["rlp/budget"]',
    'agent-tool': 'annotations.budget',
  },
} as const satisfies ToolField<Tool['budget']>
