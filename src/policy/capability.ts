// Capability strings, `family` or `family:scope`.
import type { Family } from '../model/policy.ts'
import { isBlank } from '../text/words.ts'
import { capabilityFamily, FAMILIES, isFamily } from './families/index.ts'

export interface Capability {
  readonly family: Family
  /** Undefined if only the family is named. */
  readonly scope: string | undefined
}

export function readCapability(text: string): Capability | { readonly problem: string } {
  const end = text.search(/[:.]/)
  const family = end === -1 ? text : text.slice(0, end)
  const scope = end === -1 ? undefined : text.slice(end + 1)
  if (!isFamily(family)) {
    if (isBlank(text)) return { problem: 'it is empty' }
    const [foreign] = /[^\x00-\x7f]/u.exec(family) ?? []
    const odd = foreign?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    const because = odd === undefined ? '' : `: it has the character U+${odd}, which is not ASCII`
    return { problem: `its family is not one of ${FAMILIES.join(', ')}${because}` }
  }
  const { scope: takes, entries } = capabilityFamily(family)
  if (text[end] === '.' && !entries.allowsDot) return { problem: `write ${family}: and the scope` }
  if (scope === undefined) return { family, scope: undefined }
  if (isBlank(scope)) return { problem: 'its scope is empty' }
  if (scope.includes('*')) return { problem: 'wildcards are not supported' }
  if (takes === 'none') return { problem: `${family} takes no scope` }
  return { family, scope }
}
