// Values that other systems keep for us in places that are anybody's: what is not of the right type is not ours.

import { isTable } from '../../model/own.ts'
import type { Tool } from '../../model/tools.ts'
import { isBlank } from '../../text/words.ts'

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && !isBlank(value) ? value : undefined
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

/** The facts of a title, if there is one. */
export function titled(title: unknown): { readonly user_facing_name?: string } {
  return typeof title === 'string' ? { user_facing_name: title } : {}
}

export function budgetOf(value: unknown): Tool['budget'] {
  if (!isTable(value)) return undefined
  const { tokens, usd } = value
  const budget = {
    ...(Number.isSafeInteger(tokens) && Number(tokens) >= 0 && { tokens: Number(tokens) }),
    ...(typeof usd === 'number' && usd >= 0 && { usd }),
  }
  return Object.keys(budget).length === 0 ? undefined : budget
}
