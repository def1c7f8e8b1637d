// A factory for the rules that compare a module's imports with policy.caps: they differ only in the imports that they are about.

import { POLICY_FILE } from '../../model/agent.ts'
import type { Document } from '../../model/document.ts'
import type { Place } from '../../model/finding.ts'
import type { Family } from '../../model/policy.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { grantsAny } from '../../policy/write.ts'
import { familyOf } from '../../wasm/host.ts'
import type { WasmImport } from '../../wasm/read.ts'
import { listText, quoteName } from './list-text.ts'
import type { Rule } from './rule.ts'
import { moduleOf } from './wasm-entries.ts'

/**
 * A rule of scope `source`: the runtime refuses the call, not the module, so a bundle with such an import is valid. Its author would only
 * notice when the agent fails at work.
 * @param isAbout which imports the rule is about
 * @param advice what to do, given the line that grants what is missing, and where it belongs
 */
export function importGrantRule(
  isAbout: (imported: WasmImport) => boolean,
  advice: (line: string, where: 'here' | 'under [capabilities]') => string,
  words: Pick<Rule, 'id' | 'severity' | 'summary' | 'why' | 'fix'>,
): Rule {
  return {
    ...words,
    scope: 'source',
    looks: 'entry',
    check({ agent, entry }, report) {
      const { policy } = agent
      const about = moduleOf(entry)?.imports.filter(isAbout) ?? []
      const document = agent.documents.get(POLICY_FILE)
      if (policy === undefined || document === undefined || about.length === 0) return
      for (const [family, names] of namesByFamily(about)) {
        if (grantsAny(policy, family)) continue
        report({
          file: POLICY_FILE,
          place: placeOf(document, family),
          message: `${entry.path} imports ${listText(names)}, and policy.caps does not grant ${family}`,
          fix: advice(
            capabilityFamily(family).table.example,
            isWritten(document, family) ? 'here' : 'under [capabilities]',
          ),
        })
      }
    },
  }
}

/** `runloop.http_request`; in quotes unless it is a plain name. */
export function importText({ module, name }: WasmImport): string {
  const text = `${module}.${name}`
  return /^[\w.]{1,60}$/.test(text) ? text : quoteName(text)
}

function namesByFamily(imports: readonly WasmImport[]): Map<Family, Set<string>> {
  const found = new Map<Family, Set<string>>()
  for (const imported of imports) {
    const family = familyOf(imported)
    if (family === undefined) continue
    const names = found.get(family) ?? new Set()
    found.set(family, names.add(importText(imported)))
  }
  return found
}

/** The value that says no, or the head of the table if there is none: there the author will write. */
function placeOf(document: Document, family: Family): Place {
  return isWritten(document, family)
    ? { pointer: ['capabilities', family] }
    : { pointer: ['capabilities'], part: 'key' }
}

function isWritten({ value }: Document, family: Family): boolean {
  const { capabilities } = value as { capabilities: object }
  return family in capabilities
}
